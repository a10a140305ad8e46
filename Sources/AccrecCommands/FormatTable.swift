import ACCAudioRecorder

/// The formats as `accrec formats` prints them: what each is, and a line for each thing that is to be known of it.
struct FormatTable {
    private static let nameWidth = 8

    var text: String { Container.allCases.map(text).joined() }

    private func text(of container: Container) -> String {
        let name = container.rawValue + String(repeating: " ", count: Self.nameWidth - container.rawValue.count)
        let extensions = container.fileExtensions.map { " .\($0)" }.joined()
        let note = container.isAvailable ? "" : "  [not in this machine's libsndfile]"
        let lines = [contents(of: container), compression(of: container), bitRate(of: container), tags(of: container)]
        let indentation = String(repeating: " ", count: Self.nameWidth)
        return "\(name)\(container.fullName):\(extensions)\(note)\n"
            + lines.compactMap { $0.map { "\(indentation)\($0)\n" } }.joined()
    }

    private func contents(of container: Container) -> String {
        let encodings = container.isLossy ? "lossy" : container.encodings.map(\.rawValue).joined(separator: " ")
        var parts = [encodings, "up to \(container.channelCounts.upperBound) channels"]
        if let rates = container.sampleRates {
            parts.append(rates.map(String.init).joined(separator: " ") + " Hz")
        } else {
            parts.append("up to \(container.highestSampleRate) Hz")
        }
        if container.largestSize != nil { parts.append("up to 4 GiB") }
        return parts.joined(separator: ", ")
    }

    private func compression(of container: Container) -> String? {
        guard let levels = container.compressionLevels else { return nil }
        let standard = container.defaultCompressionLevel.map { " (\($0))" } ?? ""
        let meaning =
            switch container {
            case .flac: "the time taken for it; nothing is lost"
            case .vorbis: "quality 10 to 0"
            case .opus: "a target of 256 to 6 kbit/s for each channel"
            default: "variable bit rate, V0 to V9"
            }
        return "--compression \(levels.lowerBound) to \(levels.upperBound)\(standard): \(meaning)"
    }

    private func tags(of container: Container) -> String? {
        guard !container.tags.isEmpty else { return nil }
        return "tags: " + container.tags.map(\.rawValue).joined(separator: " ")
    }

    private func bitRate(of container: Container) -> String? {
        guard container.hasBitRate else { return nil }
        if container == .opus { return "--bitrate 6 to 256 for each channel: a target, which the mean comes close to" }
        let rates = container.bitRates(sampleRate: 44_100, channelCount: 1).map(String.init).joined(separator: " ")
        return "--bitrate \(rates): constant; others below 32000 Hz"
    }
}
