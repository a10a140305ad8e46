/// The colours of a spectrogram, from dark to bright, so that they also differ without colour.
enum SpectrogramColors {
    /// Below the first level, in dBFS, all is as dark, and above the last as bright.
    private static let levels = (-110.0, -20.0)
    /// Red, green and blue at equal distances.
    private static let stops: [[Double]] = [
        [6, 5, 18], [48, 16, 92], [112, 28, 115], [178, 48, 96], [231, 92, 70], [251, 159, 78], [252, 240, 190],
    ]

    /// Red, green and blue of each byte of a spectrogram (`TakeCurves.byte(ofLevel:)`).
    static let palette: [UInt8] = (0...255).flatMap { byte -> [UInt8] in
        let level = Double(byte) / 2 - 127.5
        let part = min(max((level - levels.0) / (levels.1 - levels.0), 0), 1) * Double(stops.count - 1)
        let below = min(Int(part), stops.count - 2)
        return zip(stops[below], stops[below + 1]).map { UInt8(($0 + ($1 - $0) * (part - Double(below))).rounded()) }
    }
}
