import ACCAudioRecorder

/// What `accrec check` found of one file, as printed by `--json`. The manual page and `schemas/check-1.json` document the keys.
struct FileCheck: Codable, Sendable {
    /// A place where something is wrong, or something that is wrong with all of the file.
    struct Finding: Codable, Sendable {
        let kind: String
        /// The channels' numbers, from 1; empty for what is not about channels.
        let channels: [Int]
        /// Where it begins, and how long it is, in seconds. All of the file if it has no place.
        let offset: Double
        let length: Double
        /// How often it occurs there.
        let count: Int
        /// Described in the manual page for each kind.
        let value: Double?
        /// Of hum, in dBFS.
        let level: Double?
        /// What it is, in words without its place.
        let text: String
        /// Whether the text is true of all of the file, rather than of one place.
        let hasPlace: Bool
    }

    /// A marker that the file carries.
    struct Marker: Codable, Sendable {
        /// In seconds.
        let offset: Double
        let label: String
    }

    private(set) var version = 1
    let file: String
    let format: String
    let sampleRate: Double
    let channels: UInt32
    /// As many as could be read.
    let frames: Int
    let markers: [Marker]
    /// Loudness and levels.
    let figures: SignalFigures
    /// What is wrong, in the order of the file, with what is wrong with all of it at the end.
    let findings: [Finding]
    /// How many findings are left out, because there are 500 of their kind.
    let omitted: Int
    /// True if 'accrec repair' corrects what is wrong with the file itself; nil otherwise.
    let isRepairable: Bool?

    /// The length in seconds.
    var length: Double { Double(frames) / max(sampleRate, 1) }
    /// Whether nothing is wrong.
    var isGood: Bool { findings.isEmpty }
}

extension FileCheck.Finding {
    /// A finding of the library.
    init(_ finding: SignalFinding, sampleRate: Double) {
        let rate = max(sampleRate, 1)
        self.init(
            kind: finding.kind.rawValue, channels: finding.channels,
            offset: Double(finding.frames.lowerBound) / rate, length: Double(finding.frames.count) / rate,
            count: finding.count, value: finding.value, level: finding.level, text: finding.description,
            hasPlace: finding.kind.hasPlace)
    }

    /// Something that is wrong with all of a file.
    init(_ kind: FileCheck.Kind, text: String, value: Double? = nil, length: Double) {
        self.init(
            kind: kind.rawValue, channels: [], offset: 0, length: length, count: 1, value: value, level: nil,
            text: text,
            hasPlace: false)
    }

    /// A gap that the file carries as a marker.
    init(gap text: String, at offset: Double) {
        self.init(
            kind: FileCheck.Kind.gap.rawValue, channels: [], offset: offset, length: 0, count: 1, value: nil,
            level: nil,
            text: "gap: \(text)", hasPlace: true)
    }
}

extension FileCheck {
    /// What may be wrong with a file besides its signal.
    enum Kind: String, CaseIterable {
        /// The file is damaged, or cannot be read as a whole.
        case damaged
        /// The recorder has marked that audio is missing.
        case gap
        /// A limit of the command line is not kept.
        case limit
    }

    /// The kinds of findings, as in JSON and after `--ignore`.
    static let kinds = SignalFinding.Kind.allCases.map(\.rawValue) + Kind.allCases.map(\.rawValue)
}

// MARK: - As text

extension FileCheck {
    /// The lines for a file, each with its label.
    var lines: [String] {
        let place = { (seconds: Double) in TimeText.clock(seconds, decimals: 3) }
        var lines = [
            Self.line("file", file),
            Self.line("format", "\(format), \(sampleRate.plain) Hz, \(channels) channel\(channels == 1 ? "" : "s")"),
            Self.line("length", "\(place(length)), \(frames) frames"),
        ]
        lines += figures.measurements(at: sampleRate).map { Self.line($0.name, $0.text) }
        lines += markers.map { Self.line("marker", "\(place($0.offset)) \($0.label)") }
        lines += findings.map { finding in
            let start = finding.hasPlace ? place(finding.offset) + " " : ""
            let length = finding.hasPlace && finding.length >= 0.001 ? ", for \(TimeText.length(finding.length))" : ""
            return Self.line("finding", start + finding.text + length)
        }
        if omitted > 0 { lines.append(Self.line("finding", "\(omitted) more")) }
        lines.append(Self.line("result", summary))
        if isRepairable != nil { lines.append(Self.line("remedy", Self.repairing)) }
        return lines
    }

    /// `good`, or how much is wrong.
    var summary: String {
        let count = findings.count + omitted
        return isGood ? "good" : "\(count) finding\(count == 1 ? "" : "s")"
    }

    private static func line(_ label: String, _ text: String) -> String {
        label + String(repeating: " ", count: max(11 - label.count, 1)) + text
    }
}
