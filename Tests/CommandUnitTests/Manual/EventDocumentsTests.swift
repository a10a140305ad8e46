import Foundation
import TestSupport
import Testing

@testable import AccrecCommands

/// The manual page and the schema against the lines of `--events`.
@Suite struct EventDocumentsTests {
    /// A line for each event and, of those that may have several, for each reason.
    private let lines: [Line]

    private struct Line: Decodable {
        let event: String
        let reason: String?
    }

    init() throws {
        let contents =
            Example.events.map { EventRecord.Content.event($0, report: nil) } + [
                .level([], nil), .clipped(1), .missed(1),
            ]
        lines = try contents.map {
            try JSONText.decode(Line.self, from: Data(JSONText.line(EventRecord($0, frame: 0)).utf8))
        }
    }

    @Test func thePageHasEachEventAndNoOthers() throws {
        let items = try #require(try ManualPage().section("EVENTS")).matches(of: #/(?m)^\.It Li (.+)$/#)
        let documented = items.flatMap { String($0.1).components(separatedBy: " , ") }
        #expect(Set(documented) == Set(lines.map(\.event)))
    }

    @Test func theSchemaHasEachReasonOfAGapAndNoOthers() throws {
        let file = try Data(contentsOf: Project.file("schemas/events-1.json"))
        let schema = try #require(try JSONSerialization.jsonObject(with: file) as? [String: Any])
        let definitions = try #require(schema["$defs"] as? [String: Any])
        let documented = (definitions["gap_reason"] as? [String: [String]])?["enum"] ?? []
        let reasons = lines.filter { ["gap", "overrun", "interrupted"].contains($0.event) }.compactMap(\.reason)
        #expect(Set(documented) == Set(reasons))
    }
}
