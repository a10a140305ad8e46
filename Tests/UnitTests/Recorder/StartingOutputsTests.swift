import Foundation
import TestSupport
import Testing

@testable import ACCAudioRecorder

/// The files of a recording that is ended before it begins.
@Suite struct StartingOutputsTests {
    private typealias Make = () throws(ACCAudioRecorderError) -> OutputWriter

    private func withWriter(
        replacing: Bool = false, _ body: (_ make: Make, _ files: () throws -> [String]) async throws -> Void
    ) async throws {
        let feed = CounterFeed()
        try await TemporaryDirectory.with { directory in
            var output = try RecordingOutput(path: directory.appending(path: "take.wav").path)
            output.replacesExisting = replacing
            let made = output
            try await body { () throws(ACCAudioRecorderError) in
                try feed.writer(made, of: .init(), RecordingBroadcast(bufferCapacity: 8))
            } _: {
                try FileManager.default.contentsOfDirectory(atPath: directory.path)
            }
        }
    }

    @Test("Those of an abandoned start are removed, and it does not begin any more", arguments: [false, true])
    func abandoned(replacing: Bool) async throws {
        try await withWriter(replacing: replacing) { make, files in
            let starting = StartingOutputs()
            let writer = try starting.create(make)
            #expect(writer != nil)
            try #expect(files().count == 1)
            #expect(await starting.abandon())
            try #expect(files().isEmpty)
            #expect(!starting.begin())
            #expect(await starting.abandon())
            #expect(try starting.create(make) == nil)
            try #expect(files().isEmpty)
        }
    }

    @Test("Those of a recording that has begun stay")
    func begun() async throws {
        try await withWriter { make, files in
            let starting = StartingOutputs()
            let writer = try starting.create(make)
            #expect(writer != nil)
            #expect(starting.begin())
            #expect(await !starting.abandon())
            try #expect(files() == ["take.wav"])
        }
    }
}
