import Foundation
import Testing

@testable import ACCAudioRecorder
@testable import AccrecCommands

@Suite(.timeLimit(.minutes(1)))
struct EventLogTests {
    @Test("A reader that pauses for long learns how many events are missing, and where")
    func nobodyReads() async throws {
        let pipe = Pipe()
        let log = try EventLog(try #require(EventPlace("fd:\(pipe.fileHandleForWriting.fileDescriptor)")))
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
        log.write([EventRecord(.event(.limitReached, report: nil), frame: frame)])
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
}
