import ACCAudioRecorder
import FoundationEssentials
import Glibc

/// A line of `accrec record --events`. The schema is `schemas/events-1.json`; the manual page describes the events.
struct EventRecord: Encodable, Sendable {
    /// Incremented when a key changes its meaning or is removed; new keys and events may be added at any time.
    let version = 1
    let event: String
    /// When the event was written, in UTC (ISO 8601).
    var time = ""
    /// The position in the recording, at the recording's rate; 0 before the first frame.
    let frame: Int

    /// The capture time of the first frame.
    var capturedAt: String?
    var path: String?
    var firstFrame: Int?
    var frames: Int?
    var bytes: Int?
    var source: StreamSourceRecord?
    var reason: String?
    var number: Int?
    var label: String?
    var framesLost: Int?
    var secondsLost: Double?
    var isFilled: Bool?
    var levels: [LevelRecord]?
    var clipped: Int?
    var message: String?
    var report: ReportRecord?

    init(_ event: String, frame: Int) {
        self.event = event
        self.frame = frame
    }

    /// Reports that this many events are missing here.
    init(missed count: Int, before record: EventRecord) {
        self.init("events_missed", frame: record.frame)
        time = record.time
        number = count
    }

    /// A time in UTC (ISO 8601), to the millisecond.
    static func text(of date: Date) -> String {
        date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    private static func date(ofHostTime hostTime: UInt64) -> Date {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        let seconds = Double(now.tv_sec) + Double(now.tv_nsec) * 1e-9 - Double(hostTime) * 1e-9
        return Date.now.addingTimeInterval(-seconds)
    }
}

extension EventRecord {
    /// The lines for an event; some events need several.
    ///
    /// - Parameter frame: The current number of recorded frames.
    static func records(of event: RecordingEvent, frame: Int, isStrict: Bool) -> [EventRecord] {
        var record = EventRecord(name(of: event), frame: place(of: event) ?? frame)
        switch event {
        case .started(let source, _), .resumed(let source), .deviceLost(let source), .deviceReturned(let source),
            .portChanged(let source), .fellBack(_, let source):
            record.source = StreamSourceRecord(source)
        case .fileCreated(let path), .fileRemoved(let path):
            record.path = path
        case .newFile(let path, let report):
            record.path = path
            return [EventRecord(closing: report, at: record.frame), record]
        case .interrupted(let interruption):
            record.reason = interruption.rawValue.snakeCased
        case .gap(let gap):
            record.setGap(gap)
        case .outputGap(let output, let gap):
            if case .file(let path) = output.destination { record.path = path }
            record.setGap(gap)
        case .marker(let marker):
            record.number = marker.number
            record.label = marker.label
        case .warning(let warning):
            record.message = ErrorText.line(warning)
        case .outputEnded(let output, let error):
            if case .file(let path) = output.destination { record.path = path }
            record.message = ErrorText.line(error)
            record.reason = error.failure?.reason.rawValue.snakeCased
        case .switchFailed(let error), .brokeOff(let error):
            record.message = ErrorText.line(error)
            record.reason = error.failure?.reason.rawValue.snakeCased
        case .firstFrame(let hostTime):
            record.capturedAt = Self.text(of: Self.date(ofHostTime: hostTime))
        case .paused, .limitReached:
            break
        case .finished(let report):
            record.report = ReportRecord(report, isStrict: isStrict)
            // Files that a cut has closed were reported at the cut.
            let last = report.outputs.filter { output in
                !report.outputs.contains { $0.firstFrame == output.firstFrame + output.frameCount && $0.firstFrame > 0 }
            }
            return last.map { EventRecord(closing: $0, at: report.frameCount) } + [record]
        }
        return [record]
    }

    private mutating func setGap(_ gap: RecordingGap) {
        framesLost = gap.framesLost
        secondsLost = gap.duration
        reason = gap.cause.name
        isFilled = gap.isFilled
    }

    /// Reports that a file is complete.
    private init(closing output: OutputReport, at frame: Int) {
        self.init("file_closed", frame: frame)
        path = output.path
        firstFrame = output.firstFrame
        frames = output.frameCount
        bytes = output.byteCount
        message = output.failure.map { "\($0)" }
    }

    private static func name(of event: RecordingEvent) -> String {
        switch event {
        case .started: "opened"
        case .firstFrame: "started"
        case .fileCreated, .newFile: "file_opened"
        case .fileRemoved: "file_removed"
        case .outputEnded: "output_ended"
        case .outputGap: "output_gap"
        case .paused: "paused"
        case .resumed: "resumed"
        case .interrupted: "interrupted"
        case .fellBack: "fell_back"
        case .switchFailed: "switch_failed"
        case .brokeOff: "broke_off"
        case .deviceLost: "device_lost"
        case .deviceReturned: "device_returned"
        case .portChanged: "port_changed"
        case .gap(let gap): gap.cause == .overrun ? "overrun" : "gap"
        case .marker: "marker"
        case .warning: "warning"
        case .limitReached: "limit"
        case .finished: "finished"
        }
    }

    /// The frame at which an event happened, or nil if it happened at the current one.
    private static func place(of event: RecordingEvent) -> Int? {
        switch event {
        case .paused(let frame): frame
        case .gap(let gap), .outputGap(_, let gap): gap.position
        case .marker(let marker): marker.frame
        case .firstFrame: 0
        case .finished(let report): report.frameCount
        default: nil
        }
    }
}

extension RecordingGap.Cause {
    /// The cause as written in JSON.
    var name: String {
        switch self {
        case .overrun: "overrun"
        case .dropped: "dropped"
        case .outputBehind: "output_behind"
        case .sleep: "sleep"
        case .interruption(let interruption): interruption.rawValue.snakeCased
        }
    }
}

extension String {
    /// The text in snake case: `deviceLost` becomes `device_lost`.
    var snakeCased: String {
        map { $0.isUppercase ? "_\($0.lowercased())" : String($0) }.joined()
    }
}
