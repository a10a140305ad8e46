import FoundationEssentials

extension RecordingEvent {
    /// The frame at which it happened: of the recording, or for `outputGap` of the output; nil if it happened at the frame
    /// that was being recorded then.
    public var frame: Int? {
        switch self {
        case .paused(let frame), .soundBegan(let frame), .soundEnded(let frame): frame
        case .gap(let gap), .outputGap(_, let gap): gap.position
        case .marker(let marker): marker.frame
        case .started: 0
        case .finished(let report): report.frameCount
        default: nil
        }
    }
}

extension RecordingEvent: Codable {
    private enum Key: String, CodingKey {
        case event, frame, source, format, from, path, after, reason, message, error, warning, report, finding, bound
        case capturedAt = "captured_at"
        case hostTime = "host_time"
    }

    private var name: String {
        switch self {
        case .opened: "opened"
        case .started: "started"
        case .fileOpened: "file_opened"
        case .fileClosed: "file_closed"
        case .soundBegan: "sound_began"
        case .soundEnded: "sound_ended"
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
        case .muted: "muted"
        case .unmuted: "unmuted"
        case .gap(let gap): gap.cause == .overrun ? "overrun" : "gap"
        case .marker: "marker"
        case .signal: "signal"
        case .warning: "warning"
        case .limit: "limit"
        case .finished: "finished"
        }
    }

    /// Encodes everything.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(name, forKey: .event)
        try container.encodeIfPresent(frame, forKey: .frame)
        switch self {
        case .opened(let source, let format):
            try container.encode(source, forKey: .source)
            try container.encode(format, forKey: .format)
        case .resumed(let source), .deviceLost(let source), .deviceReturned(let source), .portChanged(let source),
            .muted(let source), .unmuted(let source):
            try container.encode(source, forKey: .source)
        case .fellBack(let lost, let source):
            try container.encode(lost, forKey: .from)
            try container.encode(source, forKey: .source)
        case .fileRemoved(let path, let bound):
            try container.encode(path, forKey: .path)
            try container.encode(bound, forKey: .bound)
        case .fileOpened(let path, let report):
            try container.encode(path, forKey: .path)
            try container.encodeIfPresent(report, forKey: .after)
        case .fileClosed(let report):
            try report.encode(to: encoder)
            try container.encodeIfPresent(
                report.failure.map { JSONWording.text(of: $0, for: encoder) }, forKey: .message)
        case .started(let hostTime):
            try container.encode(Date(hostTime: hostTime).textInJSON, forKey: .capturedAt)
            try container.encode(hostTime, forKey: .hostTime)
        case .interrupted(let interruption):
            try container.encode(nameOf: interruption, forKey: .reason)
        case .gap(let gap):
            try gap.encode(to: encoder)
        case .outputGap(let output, let gap):
            try output.encode(to: encoder)
            try gap.encode(to: encoder)
        case .marker(let marker):
            try marker.encode(to: encoder)
        case .signal(let finding):
            try container.encode(finding, forKey: .finding)
            try container.encode(finding.description, forKey: .message)
        case .warning(let warning):
            try container.encode(JSONWording.text(of: warning, for: encoder), forKey: .message)
            try container.encode(warning, forKey: .warning)
        case .outputEnded(let output, let error):
            try output.encode(to: encoder)
            try encode(error, in: &container, of: encoder)
        case .switchFailed(let error), .brokeOff(let error):
            try encode(error, in: &container, of: encoder)
        case .finished(let report):
            try container.encode(report, forKey: .report)
        case .paused, .soundBegan, .soundEnded, .limit:
            break
        }
    }

    private func encode(
        _ error: ACCAudioRecorderError, in container: inout KeyedEncodingContainer<Key>, of encoder: any Encoder
    ) throws {
        try container.encode(JSONWording.text(of: error, for: encoder), forKey: .message)
        if let reason = error.failure?.reason { try container.encode(nameOf: reason, forKey: .reason) }
        try container.encode(error, forKey: .error)
    }

    /// Decodes everything.
    ///
    /// - Throws: Also for the lines of `accrec record --events` that are no events of a recording: `level`, `clipped` and
    ///   `events_missed`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        func source() throws -> AudioSource { try container.decode(AudioSource.self, forKey: .source) }
        func path() throws -> String { try container.decode(String.self, forKey: .path) }
        func error() throws -> ACCAudioRecorderError {
            try container.decode(ACCAudioRecorderError.self, forKey: .error)
        }

        let name = try container.decode(String.self, forKey: .event)
        switch name {
        case "opened": self = .opened(try source(), format: try container.decode(RecordingFormat.self, forKey: .format))
        case "started": self = .started(hostTime: try container.decode(UInt64.self, forKey: .hostTime))
        case "file_opened":
            self = .fileOpened(
                path: try path(), after: try container.decodeIfPresent(OutputReport.self, forKey: .after))
        case "file_closed": self = .fileClosed(try OutputReport(from: decoder))
        case "sound_began": self = .soundBegan(frame: try container.decode(Int.self, forKey: .frame))
        case "sound_ended": self = .soundEnded(frame: try container.decode(Int.self, forKey: .frame))
        case "file_removed":
            // Earlier versions had one bound.
            let bound = try container.decodeIfPresent(RetentionPolicy.Bound.self, forKey: .bound)
            self = .fileRemoved(path: try path(), bound: bound ?? .count)
        case "output_ended": self = .outputEnded(try RecordingOutput(from: decoder), error: try error())
        case "output_gap":
            self = .outputGap(try RecordingOutput(from: decoder), gap: try RecordingGap(from: decoder))
        case "paused": self = .paused(frame: try container.decode(Int.self, forKey: .frame))
        case "resumed": self = .resumed(try source())
        case "interrupted":
            self = .interrupted(try container.decode(nameOf: RecordingInterruption.self, forKey: .reason))
        case "fell_back":
            self = .fellBack(from: try container.decode(AudioSource.self, forKey: .from), to: try source())
        case "switch_failed": self = .switchFailed(try error())
        case "broke_off": self = .brokeOff(try error())
        case "device_lost": self = .deviceLost(try source())
        case "device_returned": self = .deviceReturned(try source())
        case "signal": self = .signal(try container.decode(SignalFinding.self, forKey: .finding))
        case "muted": self = .muted(try source())
        case "unmuted": self = .unmuted(try source())
        case "port_changed": self = .portChanged(try source())
        case "gap", "overrun": self = .gap(try RecordingGap(from: decoder))
        case "marker": self = .marker(try RecordingMarker(from: decoder))
        case "warning": self = .warning(try container.decode(RecordingWarning.self, forKey: .warning))
        case "limit": self = .limit
        case "finished": self = .finished(try container.decode(RecordingReport.self, forKey: .report))
        default:
            throw DecodingError.dataCorruptedError(
                forKey: .event, in: container, debugDescription: "unknown event '\(name)'")
        }
    }
}

/// How an encoder words problems for people, if not as the library does: for programs whose options have other names.
package struct JSONWording: Sendable {
    /// The key in an encoder's `userInfo`.
    package static let key = CodingUserInfoKey(rawValue: "ACCAudioRecorder.JSONWording")!

    private let error: @Sendable (ACCAudioRecorderError) -> String
    private let warning: @Sendable (RecordingWarning) -> String

    package init(
        error: @escaping @Sendable (ACCAudioRecorderError) -> String,
        warning: @escaping @Sendable (RecordingWarning) -> String
    ) {
        self.error = error
        self.warning = warning
    }

    static func text(of error: ACCAudioRecorderError, for encoder: any Encoder) -> String {
        (encoder.userInfo[key] as? JSONWording)?.error(error) ?? error.description
    }

    static func text(of warning: RecordingWarning, for encoder: any Encoder) -> String {
        (encoder.userInfo[key] as? JSONWording)?.warning(warning) ?? warning.description
    }
}
