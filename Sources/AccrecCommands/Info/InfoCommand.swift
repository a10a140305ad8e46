import ACCAudioRecorder
import ArgumentParser
import Glibc

/// `accrec info`: shows what audio files hold.
struct InfoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Show format, length, tags, markers and gaps of files.",
        discussion: """
            Reads any format that libsndfile knows, from any recorder, and changes nothing. Gaps are those that accrec has \
            marked: in the file itself (WAV, FLAC, Ogg, MP3), or in the list of markers beside any other file.
            """)

    @Argument(help: "The files to show.", completion: .file())
    var files: [String]

    @Flag(help: "Print a JSON object for each file, on a line.")
    var json = false

    @Flag(help: "Measure loudness, true peak and the levels of each channel. This reads the whole file.")
    var levels = false

    @Flag(help: "Draw the waveform, with gaps and markers below it. This reads the whole file.")
    var waveform = false

    func validate() throws {
        guard json && waveform else { return }
        throw ValidationError("--waveform is drawn as text, so it excludes --json")
    }

    func run() throws {
        var isWhole = true
        for (index, file) in files.enumerated() { isWhole = try show(file, isFirst: index == 0) && isWhole }
        if !isWhole { throw ExitCode(ExitStatus.failure.rawValue) }
    }

    /// Whether a file could be shown as a whole.
    private func show(_ file: String, isFirst: Bool) throws -> Bool {
        var reader: SoundFileReader
        do throws(SoundFileFailure) {
            reader = try SoundFileReader(path: file)
        } catch {
            StandardError.tell("cannot read '\(file)': \(error.description)")
            return false
        }
        let record = Record(of: &reader, at: file, measuresLevels: levels)
        if json {
            try StandardOutput.write(json: record)
        } else {
            let lines = record.lines + (waveform ? Self.waveform(of: &reader, record) : [])
            try StandardOutput.write(lines: (isFirst ? [] : [""]) + lines)
        }
        guard let omission = reader.omission else { return true }
        StandardError.tell("'\(file)' is not shown as a whole: \(omission)")
        return false
    }
}

extension InfoCommand {
    /// What a file holds, as printed by `accrec info --json`. The manual page documents the keys.
    struct Record: Encodable {
        struct Track: Encodable {
            let channel: Int
            let name: String
        }

        struct GUANOField: Encodable {
            let key: String
            let value: String
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
        let sampleRate: Double
        let channels: UInt32
        /// Nil if unknown.
        let frames: Int?
        let tracks: [Track]
        let tags: [String: String]
        /// The fields of GUANO metadata; nil without it.
        let guano: [GUANOField]?
        let markers: [Marker]
        /// Nil if not asked for.
        let figures: SignalFigures?

        init(of reader: inout SoundFileReader, at path: String, measuresLevels: Bool) {
            file = path
            format = reader.formatNames.joined(separator: ", ")
            (sampleRate, channels) = (reader.sampleRate, reader.channelCount)
            tracks = reader.namedChannels.map { Track(channel: $0.number, name: $0.name) }
            var tags: [String: String] = [:]
            for tag in MetadataTag.allCases { tags[tag.rawValue] = reader.text(of: tag) }
            self.tags = tags
            let fields = reader.guanoFields.map { GUANOField(key: $0.key, value: $0.value) }
            guano = fields.isEmpty ? nil : fields
            markers = reader.markers(ofFileAt: path).map { marker in
                let isGap = marker.label.hasPrefix(GapLabel.prefix)
                let label = isGap ? String(marker.label.dropFirst(GapLabel.prefix.count)) : marker.label
                return Marker(offset: marker.offset.seconds, label: label, isGap: isGap)
            }
            frames = reader.frameCount == 0 && reader.canReadFrame() ? nil : reader.frameCount
            figures = measuresLevels && (frames != nil || reader.seek(to: 0)) ? reader.figures() : nil
        }
    }
}

extension SoundFileReader {
    /// Loudness and levels of all that follows; nil for more channels than a check takes.
    fileprivate mutating func figures() -> SignalFigures? {
        guard SignalCheck.channelCounts.contains(channelCount) else { return nil }
        var check = SignalCheck(sampleRate: sampleRate, channelMap: channelMap, integerBits: integerBits)
        let channelCount = Int(channelCount)
        var frames = 0
        _ = readBlocks(of: InfoCommand.blockFrames) { samples in
            check.add(samples, at: frames)
            frames += samples.count / channelCount
        }
        return check.finish()
    }
}

// MARK: - As text

extension InfoCommand.Record {
    var lines: [String] {
        let length = frames.map {
            "\(TimeText.clock(Double($0) / max(sampleRate, 1), decimals: 3)), \($0) frames"
        }
        return [
            Self.line("file", file), Self.line("format", format), Self.line("length", length ?? "unknown"),
            Self.line("samples", "\(sampleRate.plain) Hz, \(channels) channel\(channels == 1 ? "" : "s")"),
        ] + tracks.map { Self.line("channel \($0.channel)", $0.name) }
            + (figures?.measurements(at: sampleRate) ?? []).map { Self.line($0.name, $0.text) }
            + MetadataTag.allCases.compactMap { tag in tags[tag.rawValue].map { Self.line(tag.rawValue, $0) } }
            + (guano ?? []).map { Self.line("guano", "\($0.key): \($0.value)") }
            + markers.map { marker in
                let place = TimeText.clock(marker.offset, decimals: 3)
                return Self.line(marker.isGap ? "gap" : "marker", "\(place) \(marker.label)")
            }
    }

    private static func line(_ label: String, _ text: String) -> String {
        label + String(repeating: " ", count: max(11 - label.count, 1)) + text
    }
}

extension InfoCommand {
    /// The waveform of a file, drawn as text in as many columns as the terminal has.
    static func waveform(of reader: inout SoundFileReader, _ record: Record) -> [String] {
        // A frame may have been read to see whether there is one, or all for the levels.
        guard reader.channelCount > 0, record.frames != nil && record.figures == nil || reader.seek(to: 0) else {
            return []
        }
        let columns = WindowSize(of: STDOUT_FILENO).columns
        var overview = TakeOverview(
            channelCount: reader.channelCount, sampleRate: reader.sampleRate,
            detail: .init(waveformColumns: max(columns, 80) * 4, spectrogramColumns: 0, bands: 1),
            expectedFrames: reader.frameCount)
        let frames = reader.readBlocks(of: blockFrames) { overview.append($0) }
        var names = reader.channelMap.labels
        for track in record.tracks where names.indices.contains(track.channel - 1) {
            names[track.channel - 1] = track.name
        }
        return WaveformText(
            waveform: overview.waveform, sampleRate: reader.sampleRate,
            seconds: Double(frames) / max(reader.sampleRate, 1), names: names,
            places: record.markers.map { WaveformText.Place(seconds: $0.offset, isGap: $0.isGap) },
            style: TerminalStyle(color: .never), columns: columns
        ).lines
    }

    static let blockFrames = 16_384
}
