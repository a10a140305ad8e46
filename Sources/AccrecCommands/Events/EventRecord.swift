import ACCAudioRecorder
import FoundationEssentials

/// A line of `accrec record --events`. The schema is `schemas/events-1.json`; the manual page describes the events.
struct EventRecord: Encodable, Sendable {
    /// What the line tells.
    enum Content: Sendable {
        /// An event of the recording, with the report that ends it.
        case event(RecordingEvent, report: ReportRecord?)
        /// The levels since the previous such event, and the loudness.
        case level([ChannelLevel], RecordingLoudness?)
        /// The samples at full scale so far.
        case clipped(Int)
        /// This many events are missing here.
        case missed(Int)
    }

    /// Incremented when a key changes its meaning or is removed; new keys and events may be added at any time.
    private static let version = 1

    let content: Content
    /// The position in the recording, at the recording's rate; 0 before the first frame.
    let frame: Int
    /// The number of the take, of several, counted from 1; nil for a recording alone.
    var take: Int?
    /// The name of the source that is recorded, of several that are not aligned; nil for any other recording.
    var input: String?
    /// When the event was written.
    var time = Date.now

    private enum CodingKeys: CodingKey {
        case version, event, time, frame, take, input, message, levels, loudness, clipped, number, report
    }

    init(_ content: Content, frame: Int, take: Int? = nil) {
        (self.content, self.frame, self.take) = (content, frame, take)
    }

    /// Reports that this many events are missing here.
    init(missed count: Int, before record: EventRecord) {
        self.init(.missed(count), frame: record.frame)
        (time, take, input) = (record.time, record.take, record.input)
    }

    /// The lines for an event; some events need several.
    ///
    /// - Parameter frame: The current number of recorded frames.
    static func records(of event: RecordingEvent, frame: Int, isStrict: Bool) -> [EventRecord] {
        let frame = event.frame ?? frame
        var closed: [OutputReport] = []
        var end: ReportRecord?
        switch event {
        case .fileOpened(_, let report?):
            closed = [report]
        case .finished(let report):
            end = ReportRecord(report, isStrict: isStrict)
            // The others were reported when they were complete.
            closed = report.outputs.filter { !$0.isTold }
        default:
            break
        }
        let files = closed.map { Content.event(.fileClosed($0), report: nil) }
        return (files + [.event(event, report: end)]).map { EventRecord($0, frame: frame) }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch content {
        case .event(let event, let report):
            try event.encode(to: encoder)
            try container.encodeIfPresent(report, forKey: .report)
        case .level(let levels, let loudness):
            try container.encode("level", forKey: .event)
            try container.encode(levels, forKey: .levels)
            try container.encodeIfPresent(loudness, forKey: .loudness)
        case .clipped(let count):
            try container.encode("clipped", forKey: .event)
            try container.encode(count, forKey: .clipped)
        case .missed(let count):
            try container.encode("events_missed", forKey: .event)
            try container.encode(count, forKey: .number)
        }
        try container.encode(Self.version, forKey: .version)
        try container.encode(time.textInJSON, forKey: .time)
        try container.encode(frame, forKey: .frame)
        try container.encodeIfPresent(take, forKey: .take)
        // A gap of one of several inputs that are aligned states that itself.
        try container.encodeIfPresent(input, forKey: .input)
    }
}

extension EventRecord {
    /// Turns the events of a recording into lines, one after another.
    struct Series {
        /// Whether missing frames and clipped samples are a failure.
        let isStrict: Bool
        private let take: Int?

        /// - Parameter take: The number of the take, of several.
        init(isStrict: Bool, take: Int? = nil) {
            (self.isStrict, self.take) = (isStrict, take)
        }

        /// The lines for the next event; some events need several.
        ///
        /// - Parameter frame: The current number of recorded frames.
        func records(of event: RecordingEvent, frame: Int) -> [EventRecord] {
            EventRecord.records(of: event, frame: frame, isStrict: isStrict).compactMap { record in
                // A file that is to get its last name at the end is reported then.
                guard record.completedFile?.isProvisional != true else { return nil }
                var record = record
                record.take = take
                return record
            }
        }
    }
}

extension EventRecord {
    /// The file that the line says is complete.
    fileprivate var completedFile: OutputReport? {
        if case .event(.fileClosed(let report), _) = content { report } else { nil }
    }
}

extension EventRecord {
    /// Creates level events at a fixed interval, and clipping events at most once a second.
    struct LevelSeries {
        /// In seconds; nil for no level events.
        private let interval: Double?
        private let take: Int?
        private var levels: [ChannelLevel] = []
        private var lastTime = 0.0
        private var clippedCount = 0
        private var lastClippedTime = -Double.infinity

        /// The least time between two events of clipping, in seconds.
        static let clippedInterval = 1.0

        /// - Parameters:
        ///   - interval: The interval of level events, in seconds of the recording; nil for none.
        ///   - take: The number of the take, of several.
        init(interval: Double?, take: Int? = nil) {
            (self.interval, self.take) = (interval, take)
        }

        /// Adds the levels of some frames.
        ///
        /// - Returns: The events that are due.
        mutating func process(_ new: RecordingLevels) -> [EventRecord] {
            var records: [EventRecord] = []
            if levels.count != new.channels.count { levels = new.channels } else { add(new.channels) }
            // Times are rounded, and no interval is a thousandth longer than another.
            if let interval, new.timestamp - lastTime >= 0.999 * interval {
                records.append(EventRecord(.level(levels, new.loudness), frame: new.frame, take: take))
                lastTime = new.timestamp
                levels = []
            }
            if new.totalClippedCount > clippedCount, new.timestamp - lastClippedTime >= 0.999 * Self.clippedInterval {
                lastClippedTime = new.timestamp
                clippedCount = new.totalClippedCount
                records.append(EventRecord(.clipped(clippedCount), frame: new.frame, take: take))
            }
            return records
        }

        private mutating func add(_ new: [ChannelLevel]) {
            for index in levels.indices { levels[index].add(new[index]) }
        }
    }
}

/// The report of a recording as JSON, with the program's exit status: the last event, and the content of
/// `accrec record --report`.
struct ReportRecord: Encodable, Sendable {
    let report: RecordingReport
    private let exitStatus: Int32

    private enum CodingKeys: CodingKey {
        case exitStatus
    }

    init(_ report: RecordingReport, isStrict: Bool) {
        self.report = report
        exitStatus = ExitStatus(report, isStrict: isStrict).rawValue
    }

    func encode(to encoder: any Encoder) throws {
        try report.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(exitStatus, forKey: .exitStatus)
    }
}
