import ACCAudioRecorder
import Foundation
import TestSupport
import Testing

/// A file that `accrec record --events` writes.
struct EventsFile {
    let url: URL

    init(on server: PrivateServer, _ name: String = "events.jsonl") {
        url = server.file(name)
    }

    /// The complete lines so far; none if there is no file.
    func lines() throws -> [EventLine] {
        let text = (try? String(contentsOf: url, encoding: .utf8)) ?? ""
        return try text.components(separatedBy: "\n").dropLast().map {
            try JSONDecoder().decode(EventLine.self, from: Data($0.utf8))
        }
    }

    /// The complete lines of a name so far.
    func lines(_ name: String) throws -> [EventLine] { try lines().filter { $0.name == name } }

    /// Waits until a name is in this many lines.
    func wait(for name: String, count: Int = 1, _ accrec: ChildProcess? = nil) async throws {
        try await eventually("\(count) \(name): \(accrec?.standardError ?? "")", within: 20) {
            try lines(name).count >= count
        }
    }

    /// Expects all lines to match the schema.
    func expectValid() async throws {
        try await JSONSchema.expect(url, toFit: "events-1")
    }
}

/// A line of such a file: the library's event, and what the command adds.
struct EventLine: Decodable {
    /// The name of the event in JSON.
    let name: String
    /// When it was written.
    let time: Date
    let frame: Int
    /// The number of the take, of several.
    let take: Int?
    /// The name in JSON of the cause.
    let reason: String?
    /// When the first frame was captured.
    let captured: Date?
    /// With the levels.
    let loudness: RecordingLoudness?
    /// The report in the last line.
    let report: WrittenReport?
    /// The library's event; nil for a line that only the command knows.
    let event: RecordingEvent?

    private enum Key: String, CodingKey {
        case event, time, frame, take, reason, loudness, report
        case captured = "captured_at"
    }

    private static let commandsOwn = ["level", "clipped", "events_missed"]

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        name = try container.decode(String.self, forKey: .event)
        time = try style.parse(container.decode(String.self, forKey: .time))
        frame = try container.decode(Int.self, forKey: .frame)
        take = try container.decodeIfPresent(Int.self, forKey: .take)
        reason = try container.decodeIfPresent(String.self, forKey: .reason)
        captured = try container.decodeIfPresent(String.self, forKey: .captured).map(style.parse)
        loudness = try container.decodeIfPresent(RecordingLoudness.self, forKey: .loudness)
        report = try container.decodeIfPresent(WrittenReport.self, forKey: .report)
        event = Self.commandsOwn.contains(name) ? nil : try RecordingEvent(from: decoder)
    }

    /// The source that the event names, the new one if there are two.
    var source: AudioSource? {
        switch event {
        case .opened(let source, _), .resumed(let source), .fellBack(_, let source), .deviceLost(let source),
            .deviceReturned(let source), .portChanged(let source):
            source
        default: nil
        }
    }

    /// The gap that the event reports.
    var gap: RecordingGap? {
        switch event {
        case .gap(let gap), .outputGap(_, let gap): gap
        default: nil
        }
    }

    var marker: RecordingMarker? {
        if case .marker(let marker) = event { marker } else { nil }
    }

    /// The report of the file that was closed.
    var file: OutputReport? {
        if case .fileClosed(let report) = event { report } else { nil }
    }
}
