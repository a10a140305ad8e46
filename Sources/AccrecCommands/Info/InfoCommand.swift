import ACCAudioRecorder
import ArgumentParser

/// `accrec info`: shows what an audio file holds.
struct InfoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Show format, length, tags, markers and gaps of a file.",
        discussion: """
            Reads any format that libsndfile knows, from any recorder, and changes nothing. Gaps are those that accrec has \
            marked: in the file itself (WAV, FLAC, Ogg, MP3), or in the list of markers beside any other file.
            """)

    @Argument(help: "The file to show.", completion: .file())
    var file: String

    func run() throws {
        var reader: SoundFileReader
        do throws(SoundFileFailure) {
            reader = try SoundFileReader(path: file)
        } catch {
            throw RunFailure("cannot read '\(file)'", error.description)
        }
        let rate = max(reader.sampleRate, 1)
        let clock = { (frame: Int) in TimeText.clock(Double(frame) / Double(rate), decimals: 3) }
        let isUnknown = reader.frameCount == 0 && reader.canReadFrame()
        let length = isUnknown ? "unknown" : "\(clock(reader.frameCount)), \(reader.frameCount) frames"
        var lines = [
            Self.line("file", file), Self.line("format", reader.formatNames.joined(separator: ", ")),
            Self.line("length", length),
            Self.line(
                "samples",
                "\(reader.sampleRate) Hz, \(reader.channelCount) channel\(reader.channelCount == 1 ? "" : "s")"),
        ]
        for tag in MetadataTag.allCases {
            if let text = reader.text(of: tag) { lines.append(Self.line(tag.rawValue, text)) }
        }
        lines += reader.markers(ofFileAt: file).map { marker in
            let isGap = marker.label.hasPrefix(GapLabel.prefix)
            let text = isGap ? String(marker.label.dropFirst(GapLabel.prefix.count)) : marker.label
            return Self.line(isGap ? "gap" : "marker", "\(TimeText.clock(marker.seconds, decimals: 3)) \(text)")
        }
        try StandardOutput.write(lines: lines)
        guard let omission = reader.omission else { return }
        StandardError.tell("'\(file)' is not shown as a whole: \(omission)")
        throw ExitCode(ExitStatus.failure.rawValue)
    }

    private static func line(_ label: String, _ text: String) -> String {
        label + String(repeating: " ", count: max(11 - label.count, 1)) + text
    }
}
