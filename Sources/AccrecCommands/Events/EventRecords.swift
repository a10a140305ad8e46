import ACCAudioRecorder

/// Turns the events of a recording into lines, one after another.
struct EventRecords {
    /// Whether missing frames and clipped samples are a failure.
    let isStrict: Bool
    /// The files that were reported as complete before the next one began.
    private var completed: Set<String?> = []

    init(isStrict: Bool) {
        self.isStrict = isStrict
    }

    /// The lines for the next event; some events need several.
    ///
    /// - Parameter frame: The current number of recorded frames.
    mutating func records(of event: RecordingEvent, frame: Int) -> [EventRecord] {
        let records = EventRecord.records(of: event, frame: frame, isStrict: isStrict)
        if case .fileCompleted(let report) = event {
            completed.insert(report.path)
            return records
        }
        return records.filter { record in
            guard case .event(.fileCompleted(let report), _) = record.content else { return true }
            return !completed.contains(report.path)
        }
    }
}
