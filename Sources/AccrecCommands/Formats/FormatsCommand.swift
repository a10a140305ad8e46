import ACCAudioRecorder
import ArgumentParser

/// `accrec formats`: lists the output formats.
struct FormatsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "formats",
        abstract: "List the file formats.",
        discussion: """
            Each format is listed with its name for 'accrec record --format', the extensions that choose it, and the \
            encodings, channels, rates, compression levels and bit rates that it supports.
            """)

    @Flag(help: "Print a JSON array with an object for each format.")
    var json = false

    func run() throws {
        if json {
            try StandardOutput.write(json: Container.allCases.map(Record.init))
        } else {
            try StandardOutput.write(lines: Container.allCases.flatMap(Self.lines))
        }
    }
}

// MARK: - As text

extension FormatsCommand {
    private static let nameWidth = 8

    /// A heading, then one line per property.
    private static func lines(of container: Container) -> [String] {
        let name = container.rawValue + String(repeating: " ", count: nameWidth - container.rawValue.count)
        let extensions = container.fileExtensions.map { " .\($0)" }.joined()
        let note = container.isAvailable ? "" : "  [not available: libsndfile was built without it]"
        let lines = [contents(of: container), compression(of: container), bitRate(of: container), tags(of: container)]
        let indentation = String(repeating: " ", count: nameWidth)
        return ["\(name)\(container.fullName):\(extensions)\(note)"]
            + lines.compactMap { $0.map { "\(indentation)\($0)" } }
    }

    private static func contents(of container: Container) -> String {
        let encodings = container.isLossy ? "lossy" : container.encodings.map(\.rawValue).joined(separator: " ")
        var parts = [encodings, "up to \(container.channelCounts.upperBound) channels"]
        if let rates = container.sampleRates {
            parts.append(rates.map(\.plain).joined(separator: " ") + " Hz")
        } else {
            parts.append("up to \(container.highestSampleRate.plain) Hz")
        }
        if container.largestSize != nil { parts.append("up to 4 GiB") }
        return parts.joined(separator: ", ")
    }

    private static func compression(of container: Container) -> String? {
        guard let levels = container.compressionLevels else { return nil }
        let standard = container.defaultCompressionLevel.map { " (\($0))" } ?? ""
        let meaning =
            switch container {
            case .flac: "higher takes longer; lossless"
            case .vorbis: "quality 10 to 0"
            case .opus: "256 to 6 kbit/s per channel"
            default: "variable bit rate, V0 to V9"
            }
        return "--compression \(levels.lowerBound) to \(levels.upperBound)\(standard): \(meaning)"
    }

    private static func tags(of container: Container) -> String? {
        guard !container.tags.isEmpty else { return nil }
        return "tags: " + container.tags.map(\.rawValue).joined(separator: " ")
    }

    private static func bitRate(of container: Container) -> String? {
        guard container.hasBitRate else { return nil }
        if container == .opus { return "--bitrate 6 to 256 per channel, on average" }
        let rates = container.bitRates(sampleRate: 44_100, channelCount: 1).map(String.init).joined(separator: " ")
        return "--bitrate \(rates): constant; others below 32000 Hz"
    }
}

extension FormatsCommand {
    /// A format as printed by `accrec formats --json`. The manual page documents the keys.
    struct Record: Encodable {
        let name: String
        let description: String
        let extensions: [String]
        let isAvailable: Bool
        let isLossy: Bool
        let encodings: [String]
        let maxChannels: UInt32
        let sampleRates: [Double]?
        let maxSampleRate: Double
        let maxBytes: Int?
        let compressionLevels: [Int]?
        let defaultCompression: Int?
        let hasBitRate: Bool
        let tags: [String]

        init(_ container: Container) {
            name = container.rawValue
            description = container.fullName
            extensions = container.fileExtensions
            isAvailable = container.isAvailable
            isLossy = container.isLossy
            encodings = container.encodings.map(\.rawValue)
            maxChannels = container.channelCounts.upperBound
            sampleRates = container.sampleRates
            maxSampleRate = container.highestSampleRate
            maxBytes = container.largestSize
            compressionLevels = container.compressionLevels.map(Array.init)
            defaultCompression = container.defaultCompressionLevel
            hasBitRate = container.hasBitRate
            tags = container.tags.map(\.rawValue)
        }
    }
}
