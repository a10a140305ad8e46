import ACCAudioRecorder

/// Turns the events of a recording into lines, one after another.
struct EventRecords {
    /// Whether missing frames and clipped samples are a failure.
    let isStrict: Bool
    /// The files that were reported as complete before the next one began, whose paths may come again.
    private var completed: Set<[FileVersion]> = []
    /// The files that are reported once they have their last names.
    private var provisional: Set<[FileVersion]> = []

    init(isStrict: Bool) {
        self.isStrict = isStrict
    }

    /// The lines for the next event; some events need several.
    ///
    /// - Parameter frame: The current number of recorded frames.
    mutating func records(of event: RecordingEvent, frame: Int) -> [EventRecord] {
        var records = EventRecord.records(of: event, frame: frame, isStrict: isStrict)
        switch event {
        case .newFile(_, let report), .fileCompleted(let report):
            guard report.isProvisional else { break }
            provisional.insert(report.versions)
            return records.filter { $0.completedFile == nil }
        case .finished(let report):
            let renamed = report.outputs.filter { provisional.contains($0.versions) }
            records = renamed.map { EventRecord(.event(.fileCompleted($0), report: nil), frame: frame) } + records
        default: return records
        }
        return records.filter {
            $0.completedFile.map { completed.insert($0.versions).inserted || $0.versions.isEmpty } ?? true
        }
    }
}

extension EventRecord {
    /// The file that the line says is complete.
    fileprivate var completedFile: OutputReport? {
        if case .event(.fileCompleted(let report), _) = content { report } else { nil }
    }
}
