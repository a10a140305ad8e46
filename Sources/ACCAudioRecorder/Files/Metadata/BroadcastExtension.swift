import CSndFile
import Glibc

/// The content of a WAV file's `bext` chunk (EBU Tech 3285, version 2): when the recording begins, its source, the
/// program, its loudness, and how it was made. All text is ASCII.
struct BroadcastExtension {
    static let chunkName = "bext"

    let time: Time
    /// The name of the recording program.
    let originator: String
    let description: String
    /// One line per step (EBU R 98).
    let codingHistory: [CodingStep]
    /// Nil before it is known.
    let loudness: BroadcastLoudness?

    var content: [UInt8] {
        let history = codingHistory.flatMap { $0.line.utf8 }
        var content = field(description, length: 256) + field(originator, length: 32) + field("", length: 32)
        content += field(time.date, length: 10) + field(time.time, length: 8)
        content += ByteOrder.little.bytes(UInt64(time.reference), count: 8) + [2, 0]
        content += [UInt8](repeating: 0, count: 64) + loudnessFields + [UInt8](repeating: 0, count: 180)
        return content + history + (history.count % 2 == 0 ? [] : [0])
    }

    /// The five values, in hundredths of a unit.
    private var loudnessFields: [UInt8] {
        let values = [
            loudness?.integrated, loudness?.range, loudness?.truePeak, loudness?.momentary, loudness?.shortTerm,
        ]
        return values.flatMap { Self.field($0) }
    }

    private static func field(_ value: Double?) -> [UInt8] {
        var hundredths = notMeasured
        if let value, abs(value) < 100 { hundredths = Int16((value * 100).rounded()) }
        return ByteOrder.little.bytes(UInt64(UInt16(bitPattern: hundredths)), count: 2)
    }

    /// The value of a field that was not measured.
    private static let notMeasured: Int16 = 0x7FFF

    private func field(_ text: String, length: Int) -> [UInt8] {
        let bytes = text.printableASCII.utf8.prefix(length)
        return bytes + [UInt8](repeating: 0, count: length - bytes.count)
    }
}

extension BroadcastExtension {
    /// One line of a coding history: the format of the samples, and what produced it.
    struct CodingStep {
        let sampleRate: Int
        let wordLength: Int
        let channelCount: Int
        let text: String

        fileprivate var line: String {
            // The standard has no mode for more channels.
            let mode = channelCount == 1 ? ",M=mono" : channelCount == 2 ? ",M=stereo" : ""
            let plain = text.printableASCII.map { $0 == "," ? " " : String($0) }.joined()
            return "A=PCM,F=\(sampleRate),W=\(wordLength)\(mode),T=\(plain.prefix(160))\r\n"
        }
    }
}

extension String {
    /// The text with spaces for control characters, and `?` for characters outside ASCII.
    fileprivate var printableASCII: String {
        String(map { $0.asciiValue.map { (0x20..<0x7F).contains($0) } ?? true ? ($0.isASCII ? $0 : "?") : " " })
    }
}

extension BroadcastExtension {
    /// The capture time of a frame, counted in frames from the first one of the recording, so that the times of consecutive
    /// files add up exactly.
    struct Time {
        private let start: WallClock
        private let days: Int
        private let rate: Int
        /// Frames since midnight.
        let reference: Int

        /// - Parameters:
        ///   - start: When the first frame of the recording was captured.
        ///   - frame: The number of the frame.
        ///   - rate: The sample rate in Hz.
        init(start: WallClock, frame: Int, rate: Int) {
            self.start = start
            self.rate = rate
            (days, reference) = (start.framesSinceMidnight(rate: rate) + frame).quotientAndRemainder(
                dividingBy: 86_400 * rate)
        }

        /// `2026-11-21`
        var date: String { start.date(addingDays: days) }

        /// `18:05:09`
        var time: String {
            let seconds = reference / rate
            return [seconds / 3_600, seconds / 60 % 60, seconds % 60].map { String(String(100 + $0).dropFirst()) }
                .joined(separator: ":")
        }

        /// Date and time to the millisecond, in ISO 8601 format.
        var timestamp: String {
            "\(date)T\(time).\(String(1_000 + reference % rate * 1_000 / rate).dropFirst())"
        }
    }
}
