import Foundation
import TestSupport
import Testing

@testable import ACCAudioRecorder
@testable import AccrecCommands

@Suite(.timeLimit(.minutes(1)))
struct EventLogTests {
    @Test("A reader that pauses for long learns how many events are missing, and where")
    func nobodyReads() async throws {
        let pipe = Pipe()
        let log = try EventLog(try #require(EventLog.Place("fd:\(pipe.fileHandleForWriting.fileDescriptor)")))
        let count = 10_000
        log.write((0..<count).map { EventRecord(.clipped(1), frame: $0) })
        let reading = Promise<Data>()
        Thread.detachNewThread {
            reading.fulfil((try? pipe.fileHandleForReading.readToEnd()) ?? Data())
        }
        // As soon as some are read there is room again, and the next event says how many were dropped.
        var frame = count
        while true {
            log.write([EventRecord(.clipped(1), frame: frame)])
            frame += 1
            if log.finish() { break }
        }
        log.write([EventRecord(.event(.limit, report: nil), frame: frame)])
        #expect(log.finish())
        try pipe.fileHandleForWriting.close()
        let lines = try await reading.value.split(separator: UInt8(ascii: "\n")).map {
            try #require(try JSONSerialization.jsonObject(with: $0) as? [String: Any])
        }
        let written = lines.count { $0["event"] as? String == "clipped" }
        let missed = lines.filter { $0["event"] as? String == "events_missed" }.compactMap { $0["number"] as? Int }
        #expect(!missed.isEmpty && written + missed.reduce(0, +) == frame)
        #expect(lines.last?["event"] as? String == "limit")
    }

    private static let line = #"{"event":"paused","frame":1,"time":"2026-11-21T18:05:09.000Z","version":1}"#

    /// Whole lines, and what is left of lines that were cut off.
    private static let earlier = [
        "", "\(line)\n", "\(line)\n\(line.dropLast(20))", line, "\(line.dropLast(20))",
        "\(line.dropLast(50))\n\(line)\n",
    ]
    private static let others = [
        "{\n  \"name\": \"package\",\n  \"version\": \"1.0.0\"\n}\n", "{\"version\":1}\n", "{}", "notes\n", "\n",
        #"{"name":"event","#, #"{"event":"talk","place":{}"#, "{\n\(line)\n", "notes\n\(line)\n",
        #"{"attempts":1,"outputs":["a.wav"],"status":"recorded","time":"","version":1}"# + "\n",
    ]

    @Test("Only a file of events is appended to, whatever else begins with a brace", arguments: others)
    func otherFiles(text: String) async throws {
        try await TemporaryDirectory.with { directory in
            let file = directory.appending(path: "package.json")
            try Data(text.utf8).write(to: file)
            let failure = #expect(throws: RunFailure.self) { _ = try EventLog(.file(file.path)) }
            #expect(failure?.description.contains("it contains something else") == true)
            #expect(try String(contentsOf: file, encoding: .utf8) == text)
        }
    }

    @Test("Events are appended to those of an earlier recording, on a line of their own", arguments: earlier)
    func appends(text: String) async throws {
        try await TemporaryDirectory.with { directory in
            let file = directory.appending(path: "events.jsonl")
            try Data(text.utf8).write(to: file)
            for number in 1...2 {
                let log = try EventLog(.file(file.path))
                log.write([EventRecord(.clipped(number), frame: number)])
                #expect(log.finish())
            }
            let written = try String(contentsOf: file, encoding: .utf8)
            #expect(written.hasPrefix(text) && written.hasSuffix("\n"))
            let lines = written.dropFirst(text.count).split(separator: "\n")
            #expect(lines.count == 2 && lines.allSatisfy { $0.hasPrefix("{") && $0.hasSuffix("}") })
            #expect(written.split(separator: "\n").count == text.split(separator: "\n").count + 2)
        }
    }
}
