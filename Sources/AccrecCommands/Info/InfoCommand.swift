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

    @Flag(help: "Print a JSON object.")
    var json = false

    @Flag(help: "Draw the waveform, with gaps and markers below it. This reads the whole file.")
    var waveform = false

    func validate() throws {
        guard json && waveform else { return }
        throw ValidationError("--waveform is drawn as text, so it excludes --json")
    }

    func run() throws {
        var reader: SoundFileReader
        do throws(SoundFileFailure) {
            reader = try SoundFileReader(path: file)
        } catch {
            throw RunFailure("cannot read '\(file)'", error.description)
        }
        let record = Record(of: &reader, at: file)
        if json {
            try StandardOutput.write(json: record)
        } else {
            try StandardOutput.write(lines: record.lines + (waveform ? Self.waveform(of: &reader, record) : []))
        }
        guard let omission = reader.omission else { return }
        StandardError.tell("'\(file)' is not shown as a whole: \(omission)")
        throw ExitCode(ExitStatus.failure.rawValue)
    }
}

extension InfoCommand {
    /// What a file holds, as printed by `accrec info --json`. The manual page documents the keys.
    struct Record: Encodable {
        struct Track: Encodable {
            let channel: Int
            let name: String
        }

        /// A marker, or a gap that accrec has marked.
        struct Marker: Encodable {
            /// In seconds.
            let offset: Double
            let label: String
            let isGap: Bool
        }

        let file: String
        let format: String
        let sampleRate: Int
        let channels: Int
        /// Nil if unknown.
        let frames: Int?
        let tracks: [Track]
        let tags: [String: String]
        let markers: [Marker]

        init(of reader: inout SoundFileReader, at path: String) {
            file = path
            format = reader.formatNames.joined(separator: ", ")
            (sampleRate, channels) = (reader.sampleRate, reader.channelCount)
            tracks = reader.namedChannels.map { Track(channel: $0.number, name: $0.name) }
            var tags: [String: String] = [:]
            for tag in MetadataTag.allCases { tags[tag.rawValue] = reader.text(of: tag) }
            self.tags = tags
            markers = reader.markers(ofFileAt: path).map { marker in
                let isGap = marker.label.hasPrefix(GapLabel.prefix)
                let label = isGap ? String(marker.label.dropFirst(GapLabel.prefix.count)) : marker.label
                return Marker(offset: marker.seconds, label: label, isGap: isGap)
            }
            frames = reader.frameCount == 0 && reader.canReadFrame() ? nil : reader.frameCount
        }
    }
}

// MARK: - As text

extension InfoCommand.Record {
    var lines: [String] {
        let length = frames.map {
            "\(TimeText.clock(Double($0) / Double(max(sampleRate, 1)), decimals: 3)), \($0) frames"
        }
        return [
            Self.line("file", file), Self.line("format", format), Self.line("length", length ?? "unknown"),
            Self.line("samples", "\(sampleRate) Hz, \(channels) channel\(channels == 1 ? "" : "s")"),
        ] + tracks.map { Self.line("channel \($0.channel)", $0.name) }
            + MetadataTag.allCases.compactMap { tag in tags[tag.rawValue].map { Self.line(tag.rawValue, $0) } }
            + markers.map { marker in
                let place = TimeText.clock(marker.offset, decimals: 3)
                return Self.line(marker.isGap ? "gap" : "marker", "\(place) \(marker.label)")
            }
    }

    private static func line(_ label: String, _ text: String) -> String {
        label + String(repeating: " ", count: max(11 - label.count, 1)) + text
    }
}
