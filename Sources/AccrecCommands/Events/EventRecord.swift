import ACCAudioRecorder
import FoundationEssentials

/// A line of `accrec record --events`. The schema is `schemas/events-1.json`; the manual page describes the events.
struct EventRecord: Encodable, Sendable {
    /// What the line tells.
    enum Content: Sendable {
        /// An event of the recording, with the report that ends it.
        case event(RecordingEvent, report: ReportRecord?)
        /// The levels since the previous such event.
        case level([ChannelLevel])
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
    /// When the event was written.
    var time = Date.now

    private enum CodingKeys: CodingKey {
        case version, event, time, frame, message, levels, clipped, number, report
    }

    init(_ content: Content, frame: Int) {
        self.content = content
        self.frame = frame
    }

    /// Reports that this many events are missing here.
    init(missed count: Int, before record: EventRecord) {
        self.init(.missed(count), frame: record.frame)
        time = record.time
    }

    /// The lines for an event; some events need several.
    ///
    /// - Parameter frame: The current number of recorded frames.
    static func records(of event: RecordingEvent, frame: Int, isStrict: Bool) -> [EventRecord] {
        let frame = event.frame ?? frame
        var closed: [OutputReport] = []
        var end: ReportRecord?
        switch event {
        case .newFile(_, let report):
            closed = [report]
        case .finished(let report):
            end = ReportRecord(report, isStrict: isStrict)
            // Files that a cut has closed were reported at the cut.
            closed = report.outputs.filter { output in
                !report.outputs.contains { $0.firstFrame == output.firstFrame + output.frameCount && $0.firstFrame > 0 }
            }
        default:
            break
        }
        let files = closed.map { Content.event(.fileCompleted($0), report: nil) }
        return (files + [.event(event, report: end)]).map { EventRecord($0, frame: frame) }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch content {
        case .event(let event, let report):
            try event.encode(to: encoder)
            try container.encodeIfPresent(report, forKey: .report)
        case .level(let levels):
            try container.encode("level", forKey: .event)
            try container.encode(levels, forKey: .levels)
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
    }
}
