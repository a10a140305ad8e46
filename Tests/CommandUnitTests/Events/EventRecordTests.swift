import ACCAudioRecorder
import Foundation
import TestSupport
import Testing

@testable import AccrecCommands

/// D-08: the lines that the command writes are the library's JSON, with more keys.
@Suite struct EventRecordTests {
    @Test("D-08: each event is decoded from the line that the command writes", arguments: Example.events)
    func isDecoded(event: RecordingEvent) throws {
        let encoded = try JSONEncoder().encode(event)
        let line = try #require(EventRecord.records(of: event, frame: 9, isStrict: false).last)
        let written = Data(try JSONText.line(line).utf8)
        #expect(try JSONDecoder().decode(RecordingEvent.self, from: written) == event)

        let keys = try #require(try JSONSerialization.jsonObject(with: encoded) as? [String: Any])
        let allKeys = try #require(try JSONSerialization.jsonObject(with: written) as? [String: Any])
        #expect(allKeys["version"] as? Int == 1 && allKeys["frame"] as? Int == event.frame ?? 9)
        #expect(Set(allKeys.keys) == Set(keys.keys).union(["version", "time", "frame"]))
    }

    @Test("D-08: a file that is complete is told before what follows, as the report of its output")
    func closedFiles() throws {
        for event in [
            RecordingEvent.fileOpened(path: "take-002.wav", after: Example.closed),
            .finished(Example.report(.finished)),
        ] {
            let records = EventRecord.records(of: event, frame: 9, isStrict: false)
            #expect(records.count == 2)
            let line = Data(try JSONText.line(records[0]).utf8)
            #expect(try JSONDecoder().decode(OutputReport.self, from: line) == Example.closed)
            let keys = try #require(try JSONSerialization.jsonObject(with: line) as? [String: Any])
            #expect(keys["event"] as? String == "file_closed" && keys["message"] != nil)
        }
    }

    @Test("Texts for people name the options of whoever writes them")
    func wording() throws {
        let error = ACCAudioRecorderError.outputFailed(
            .init(.fileExists, "a", cause: "b", remedy: "C.", recoveryOption: .replaceFile))
        let event = RecordingEvent.brokeOff(error)
        #expect(String(decoding: try JSONEncoder().encode(event), as: UTF8.self).contains(#""message":"a: b. C.""#))
        #expect(try JSONText.line(event).contains("--force"))
    }

    @Test("D-07: a source is decoded from what the command lists")
    func sources() throws {
        let list = SourceList(
            sources: [Example.source], choice: .success(SourceChoice(source: Example.source, reason: .serverDefault)))
        let line = try JSONText.line(DeviceTable.Record(Example.source, in: list))
        #expect(line.contains(#""is_chosen":true"#))
        #expect(try JSONDecoder().decode(AudioSource.self, from: Data(line.utf8)) == Example.source)
    }

    @Test("A file is told once, under its last name, also where a path comes again")
    func closedOnce() async throws {
        try await TemporaryDirectory.with { directory in
            func report(_ name: String, isProvisional: Bool = false) throws -> OutputReport {
                let file = directory.appending(path: "file-\(UUID().uuidString)")
                try Data().write(to: file)
                var report = OutputReport(
                    output: try RecordingOutput(path: name), sampleRate: 48_000,
                    channelMap: .standard(channelCount: 1), frameCount: 1, byteCount: 0)
                report.versions = [try #require(FileVersion(path: file.path))]
                report.isProvisional = isProvisional
                return report
            }
            let records = EventRecord.Series(isStrict: false)
            func closed(_ event: RecordingEvent) throws -> [String] {
                try records.records(of: event, frame: 1).compactMap { record in
                    let line = try JSONSerialization.jsonObject(with: Data(JSONText.line(record).utf8))
                    guard let keys = line as? [String: Any], keys["event"] as? String == "file_closed" else {
                        return nil
                    }
                    return keys["path"] as? String
                }
            }
            var first = try report("take-partial.wav", isProvisional: true)
            #expect(try closed(.fileOpened(path: "a.wav", after: first)) == [])
            var others = try [report("a.wav"), report("a.wav"), report("b.wav")]
            for index in 0...1 { others[index].isTold = true }
            #expect(try closed(.fileOpened(path: "a.wav", after: others[0])) == ["a.wav"])
            #expect(try closed(.fileClosed(others[1])) == ["a.wav"])
            first.isProvisional = false
            let end = RecordingReport(
                source: Example.source, sampleRate: 48_000, channelCount: 1, frameCount: 1, outputs: [first] + others)
            #expect(try closed(.finished(end)) == ["take-partial.wav", "b.wav"])
        }
    }
}
