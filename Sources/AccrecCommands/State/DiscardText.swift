import ACCAudioRecorder

/// What is removed if the user discards a recording: its current files, and those that are complete.
struct DiscardText: Equatable {
    /// The number of outputs that are files.
    private let outputCount: Int
    /// The lengths in seconds of the files that are complete and still there, by path.
    private var lengths: [String: Double] = [:]
    /// The lengths in seconds of all files that were completed, and of those that are gone, of each output.
    private var completed = 0.0
    private var removed = 0.0
    /// Whether files are being written.
    private var hasCurrent = true

    init(outputCount: Int = 1) {
        self.outputCount = max(outputCount, 1)
    }

    /// That of another recording to as many outputs.
    var ofNext: DiscardText { DiscardText(outputCount: outputCount) }

    mutating func receive(_ event: RecordingEvent) {
        switch event {
        case .fileOpened(_, let report?): complete(report)
        case .fileClosed(let report):
            complete(report)
            hasCurrent = false
        case .fileOpened(_, nil): hasCurrent = true
        case .fileRemoved(let path, _): removed += (lengths.removeValue(forKey: path) ?? 0) / Double(outputCount)
        default: break
        }
    }

    private mutating func complete(_ report: OutputReport) {
        guard let path = report.path else { return }
        lengths[path] = report.length.seconds
        completed += report.length.seconds / Double(outputCount)
    }

    /// Whether the current files can be discarded alone.
    var offersCurrent: Bool { hasCurrent && !lengths.isEmpty }

    /// The question: what would be removed.
    ///
    /// - Parameter elapsed: The length of the recording in seconds.
    func question(after elapsed: Double) -> String {
        guard !lengths.isEmpty else { return "Discard this recording?" }
        let count = lengths.count + (hasCurrent ? outputCount : 0)
        return "Discard \(count) file\(count == 1 ? "" : "s"), \(TimeText.countdown(Int(max(elapsed - removed, 0))))?"
    }

    /// The keys that answer it.
    func answers(after elapsed: Double) -> KeyTable<KeyAction> {
        var keys = [KeyTable<KeyAction>.Key("y", does: .discard, help: lengths.isEmpty ? "discard" : "all")]
        if offersCurrent {
            let length = TimeText.countdown(Int(max(elapsed - completed, 0)))
            keys.append(.init("c", does: .discardCurrent, help: "current one, \(length)"))
        }
        return KeyTable(keys + [.init(named: "any other key", does: .keep, help: "keep")])
    }

    /// The question and its answers on one line.
    func line(after elapsed: Double) -> String {
        let answers = answers(after: elapsed).help.map { "\($0.key): \($0.meaning)" }
        return "\(question(after: elapsed).replacing("Discard", with: "discard")) \(answers.joined(separator: ", "))"
    }

    /// What was discarded.
    static func result(_ report: RecordingReport) -> String {
        let kept = report.outputs.map { Double($0.firstFrame + $0.frameCount) / $0.sampleRate }.max() ?? 0
        let length = TimeText.clock(report.length.seconds - kept, decimals: 3)
        guard !report.outputs.isEmpty else { return "discarded \(length)" }
        let count = report.outputs.reduce(0) { $0 + $1.fileCount }
        // Of a long recording that is discarded as a whole, files stay that its report does not list.
        let what = report.outputs.allSatisfy { $0.fileCount > 1 } ? "" : "the current file, "
        return "discarded \(what)\(length); kept \(count) file\(count == 1 ? "" : "s")"
    }
}
