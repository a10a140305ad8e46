import Foundation
import TestSupport
import Testing

@testable import ACCAudioRecorder

/// The files of a recording that is ended before it begins.
@Suite struct StartingOutputsTests {
    private func withWriter(
        replacing: Bool = false, _ body: (OutputWriter, _ files: () throws -> [String]) async throws -> Void
    ) async throws {
        let feed = CounterFeed()
        try await TemporaryDirectory.with { directory in
            var output = try RecordingOutput(path: directory.appending(path: "take.wav").path)
            output.replacesExisting = replacing
            let writer = try feed.writer(output, of: .init(), RecordingBroadcast(bufferCapacity: 8))
            try await body(writer) { try FileManager.default.contentsOfDirectory(atPath: directory.path) }
        }
    }

    @Test("Those of an abandoned start are removed, and it does not begin any more", arguments: [false, true])
    func abandoned(replacing: Bool) async throws {
        try await withWriter(replacing: replacing) { writer, files in
            let starting = StartingOutputs()
            starting.add(writer)
            try #expect(files().count == 1)
            #expect(await starting.abandon())
            try #expect(files().isEmpty)
            #expect(!starting.begin())
            #expect(await starting.abandon())
        }
    }

    @Test("Those of a recording that has begun stay")
    func begun() async throws {
        try await withWriter { writer, files in
            let starting = StartingOutputs()
            starting.add(writer)
            #expect(starting.begin())
            #expect(await !starting.abandon())
            try #expect(files() == ["take.wav"])
        }
    }
}
