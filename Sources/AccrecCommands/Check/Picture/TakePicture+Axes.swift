import FoundationEssentials
import Glibc

extension TakePicture {
    /// The times below the waveform.
    mutating func drawTicks() {
        let top = advance(by: 22)
        svg.append("rect", Self.box(Self.left, top, Self.right - Self.left, 1, "line"))
        let steps = [
            0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1_200, 1_800, 3_600, 7_200, 14_400, 36_000,
        ]
        let distance = steps.first { take.seconds / $0 <= 12 } ?? take.seconds / 2
        for tick in 0...Int(take.seconds / distance) {
            let time = Double(tick) * distance
            svg.append("rect", Self.box(x(time), top, 1, 4, "faint"))
            let clock = distance < 1 ? TimeText.clock(time, decimals: 1) : TimeText.countdown(Int(time))
            svg.append(label: clock, x: x(time), y: top + 16, x(time) > Self.right - 20 ? "right" : "middle")
        }
    }

    /// Momentary and short-term loudness, from 0 to -60 LUFS.
    mutating func drawLoudness(_ loudness: TakeCurves.LoudnessBytes) {
        let height = 120.0
        let top = advance(by: height)
        let y = { (level: Double) in top + 8 + (height - 16) * min(max(level / -60, 0), 1) }
        for mark in stride(from: 0, through: -60, by: -12) {
            svg.append("rect", Self.box(Self.left, y(Double(mark)), Self.right - Self.left, 1, "grid"))
            svg.append(label: mark == 0 ? "0 LUFS" : "\(mark)", x: Self.left - 8, y: y(Double(mark)) + 4, "right")
        }
        for (points, style) in [(loudness.momentary, "momentary"), (loudness.shortTerm, "term")] {
            var path = ""
            var isDown = false
            for (index, byte) in points.enumerated() {
                guard let level = TakeCurves.loudness(ofByte: byte) else {
                    isDown = false
                    continue
                }
                let place = x((Double(index) + 0.5) * loudness.secondsPerPoint)
                path += "\(isDown ? "L" : "M")\(SVGText.number(place)) \(SVGText.number(y(level)))"
                isDown = true
            }
            svg.append("path", "class=\"\(style)\" d=\"\(path)\"")
        }
        guard let target = loudness.target else { return }
        let level = SVGText.number(y(target))
        let ends = "M\(SVGText.number(Self.left)) \(level)L\(SVGText.number(Self.right)) \(level)"
        svg.append("path", "class=\"target\" d=\"\(ends)\"")
    }

    /// An image of the cells, stretched, with the frequencies beside it.
    mutating func drawSpectrogram(_ spectrogram: TakeCurves.SpectrogramBytes) {
        let (bands, height) = (spectrogram.bands, 170.0)
        guard bands > 0, spectrogram.cells.count >= bands, spectrogram.lowest < spectrogram.highest else { return }
        let count = spectrogram.cells.count / bands
        let cells = Array(spectrogram.cells)
        let pixels = (0..<bands).reversed().flatMap { band in (0..<count).map { cells[$0 * bands + band] } }
        let image = PNGImage(width: count, height: bands, palette: SpectrogramColors.palette, pixels: pixels)
        let top = advance(by: height)
        // The last column may reach beyond the end.
        let width = (Self.right - Self.left) * Double(count) * spectrogram.secondsPerColumn / take.seconds
        let place = Self.box(Self.left, top, width, height, "image")
        svg.append(clip: "plot", Self.box(Self.left, top, Self.right - Self.left, height, "clip"))
        svg.append(
            "image",
            "\(place) preserveAspectRatio=\"none\" clip-path=\"url(#plot)\" "
                + "href=\"data:image/png;base64,\(Data(image.bytes).base64EncodedString())\"")
        for mark in [50.0, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000] {
            guard (spectrogram.lowest...spectrogram.highest).contains(mark) else { continue }
            let part = log(mark / spectrogram.lowest) / log(spectrogram.highest / spectrogram.lowest)
            let text = mark < 1_000 ? "\(Int(mark)) Hz" : "\(Int(mark / 1_000)) kHz"
            svg.append(
                label: text, x: Self.left - 8,
                y: min(max(top + height * (1 - part), top + 6), top + height - 6) + 4, "right")
        }
    }
}
