import ACCAudioRecorder
import FoundationEssentials

/// The curves of a take as bytes, small enough for a page of thousands.
struct TakeCurves: Sendable, Hashable, Codable {
    struct Lane: Sendable, Hashable, Codable {
        /// The channel's name.
        let name: String
        /// For each column its lowest and its highest sample, each a signed byte (`TakeCurves.byte(ofSample:)`).
        let peaks: Data
    }

    struct WaveformBytes: Sendable, Hashable, Codable {
        let secondsPerColumn: Double
        let lanes: [Lane]
    }

    struct LoudnessBytes: Sendable, Hashable, Codable {
        let secondsPerPoint: Double
        /// Each a byte for each point (`TakeCurves.byte(ofLoudness:)`).
        let momentary: Data
        let shortTerm: Data
        /// What it should be, in LUFS; nil if nothing was asked for.
        let target: Double?
    }

    struct SpectrogramBytes: Sendable, Hashable, Codable {
        let secondsPerColumn: Double
        /// The number of bands, from `lowest` to `highest` in Hz, equally wide on a logarithmic scale.
        let bands: Int
        let lowest: Double
        let highest: Double
        /// For each column its bands, from the lowest on, each a byte (`TakeCurves.byte(ofLevel:)`).
        let cells: Data
    }

    let waveform: WaveformBytes
    let loudness: LoudnessBytes?
    let spectrogram: SpectrogramBytes?

    /// - Parameters:
    ///   - names: The names of the channels, in their order.
    ///   - target: The loudness that was asked for, in LUFS.
    ///   - mostLanes: With more channels than this, one lane shows all of them.
    init(
        _ waveform: Waveform, _ spectrogram: Spectrogram?, _ loudness: LoudnessCurve?,
        sampleRate: Double, names: [String], target: Double?, mostLanes: Int
    ) {
        let rate = max(sampleRate, 1)
        let channels =
            waveform.channels.count > max(mostLanes, 1) ? [Self.joined(waveform.channels)] : waveform.channels
        let lanes = channels.enumerated().map { index, columns in
            let isJoined = channels.count < waveform.channels.count
            let name = isJoined ? "all" : index < names.count ? names[index] : "\(index + 1)"
            return Lane(
                name: name, peaks: Data(columns.flatMap { [$0.lowerBound, $0.upperBound] }.map(Self.byte(ofSample:))))
        }
        self.waveform = WaveformBytes(secondsPerColumn: Double(waveform.framesPerColumn) / rate, lanes: lanes)
        self.spectrogram = spectrogram.map {
            SpectrogramBytes(
                secondsPerColumn: Double($0.framesPerColumn) / rate, bands: $0.columns.first?.count ?? 0,
                lowest: $0.frequencies.lowerBound, highest: $0.frequencies.upperBound,
                cells: Data($0.columns.joined().map(Self.byte(ofLevel:))))
        }
        self.loudness = loudness.map {
            LoudnessBytes(
                secondsPerPoint: $0.pointLength.seconds,
                momentary: Data($0.points.map { Self.byte(ofLoudness: $0.momentary) }),
                shortTerm: Data($0.points.map { Self.byte(ofLoudness: $0.shortTerm) }), target: target?.finite)
        }
    }

    private static func joined(_ channels: [[ClosedRange<Float>]]) -> [ClosedRange<Float>] {
        (channels.first ?? []).indices.map { column in
            channels.dropFirst().reduce(channels[0][column]) { range, channel in
                min(range.lowerBound, channel[column].lowerBound)...max(range.upperBound, channel[column].upperBound)
            }
        }
    }
}

// MARK: - Bytes

extension TakeCurves {
    /// The root of the amplitude, so that quiet sound keeps its shape: full scale is 127, and 1 is -84 dBFS.
    static func byte(ofSample sample: Float) -> UInt8 {
        let root = min(abs(sample), 1).squareRoot() * 127
        return UInt8(bitPattern: Int8((sample < 0 ? -root : root).rounded()))
    }

    /// The amplitude of a byte.
    static func sample(ofByte byte: UInt8) -> Double {
        let root = Double(Int8(bitPattern: byte)) / 127
        return root < 0 ? -root * root : root * root
    }

    /// The loudness of the byte 1 in LUFS: what is quieter is silence by ITU-R BS.1770; and the step to the next byte in LU.
    static let lowestLoudness = -70.0
    static let loudnessStep = 0.3

    /// 0 for silence.
    static func byte(ofLoudness loudness: Double) -> UInt8 {
        guard loudness >= lowestLoudness else { return 0 }
        return UInt8(min((loudness - lowestLoudness) / loudnessStep + 1, 255).rounded())
    }

    /// In LUFS; nil for silence.
    static func loudness(ofByte byte: UInt8) -> Double? {
        byte == 0 ? nil : lowestLoudness + Double(byte - 1) * loudnessStep
    }

    /// Half decibels above -127.5 dBFS.
    static func byte(ofLevel level: Float) -> UInt8 {
        level > -127.5 ? UInt8(min((level + 127.5) * 2, 255).rounded()) : 0
    }
}

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
