import ACCAudioRecorder

/// What in a signal is probably not meant, in words: while it is recorded, and in the report.
struct SignalText {
    /// In Hz.
    let sampleRate: Double

    /// How many places are listed one by one.
    private static let listedPlaces = 8

    /// The message about a finding while it is recorded; nil where there is nothing to say, because the meter or the report
    /// shows it.
    func message(about finding: SignalFinding) -> String? {
        let (start, end) = (time(finding.frames.lowerBound), time(finding.frames.upperBound))
        let channels = Self.subject(finding.channels)
        let isOne = finding.channels.count == 1
        switch (finding.kind, finding.isOngoing) {
        case (.silence, true): return "\(channels) \(isOne ? "has" : "have") been silent since \(start)"
        case (.silence, false):
            return "\(channels) \(isOne ? "was" : "were") silent from \(start) to \(end)"
        case (.dead, true): return "\(channels) \(isOne ? "has" : "have") had no sound so far. Check the cable."
        case (.clipped, true), (.quiet, true), (.oneSided, true), (.identical, true), (.inverted, true),
            (.narrowBand, true):
            return Self.sentence(finding)
        default: return nil
        }
    }

    /// The lines of the report about findings: each kind once, with its places.
    func lines(_ findings: [SignalFinding]) -> [String] {
        SignalFinding.Kind.allCases.flatMap { kind in
            let found = findings.filter { $0.kind == kind }
            // The line about clipped samples counts them.
            guard let first = found.first, kind != .clipped, kind != .invalid else { return [String]() }
            guard kind.hasPlace else { return found.map { Self.label($0) + Self.sentence($0) } }
            let places = found.prefix(Self.listedPlaces).map { place(of: $0) }.joined(separator: ", ")
            let more = found.count > Self.listedPlaces ? ", and \(found.count - Self.listedPlaces) more" : ""
            return [Self.label(first) + "\(places)\(more)"]
        }
    }

    /// `channel 2 from 0:12.0 to 0:40.5`
    private func place(of finding: SignalFinding) -> String {
        let (start, end) = (time(finding.frames.lowerBound), time(finding.frames.upperBound))
        let isLong = Double(finding.frames.count) > sampleRate
        return "\(Self.subject(finding.channels)) " + (isLong ? "from \(start) to \(end)" : "at \(start)")
    }

    private func time(_ frame: Int) -> String {
        TimeText.clock(Double(frame) / sampleRate, decimals: 1)
    }

    /// What it is, and what helps.
    private static func sentence(_ finding: SignalFinding) -> String {
        remedy(finding).map { "\(finding.description). \($0)" } ?? finding.description
    }

    private static func remedy(_ finding: SignalFinding) -> String? {
        switch finding.kind {
        case .quiet: "Raise the gain."
        case .clipped, .flattened: "Lower the gain."
        case .oneSided: "--select with the number of the other one records that alone."
        case .identical: "--select with the number of one of them records it once."
        case .narrowBand: "Choose another profile of the headset, or another microphone."
        case .inverted: "One of their cables is wired the other way round."
        case .dropout, .repetition, .jump, .silence, .dead, .offset, .hum, .invalid: nil
        }
    }

    private static func label(_ finding: SignalFinding) -> String {
        switch finding.kind {
        case .silence, .dead: "SILENT    "
        case .quiet: "QUIET     "
        case .clipped, .flattened: "CLIPPED   "
        case .invalid: "INVALID   "
        case .dropout, .repetition, .jump: "BROKEN    "
        case .oneSided, .identical, .inverted: "CHANNELS  "
        case .offset, .hum, .narrowBand: "SIGNAL    "
        }
    }

    /// `channel 2`, `channels 1 and 2`.
    private static func subject(_ channels: [Int]) -> String {
        "channel\(channels.count == 1 ? "" : "s") \(SignalFinding.list(channels))"
    }
}
