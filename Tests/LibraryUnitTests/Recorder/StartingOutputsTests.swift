import Dispatch
import Foundation
import TestSupport
import Testing

@testable import ACCAudioRecorder

/// The files of a recording that is ended before it begins.
@Suite(.timeLimit(.minutes(1)))
struct StartingOutputsTests {
    private typealias Make = @Sendable () throws(ACCAudioRecorderError) -> sending OutputWriter

    private func withWriter(
        replacing: Bool = false, _ body: (_ make: @escaping Make, _ files: () throws -> [String]) async throws -> Void
    ) async throws {
        let feed = CounterFeed()
        try await TemporaryDirectory.with { directory in
            var output = try RecordingOutput(path: directory.appending(path: "take.wav").path)
            output.replacesExisting = replacing
            let made = output
            try await body { () throws(ACCAudioRecorderError) in
                try feed.writer(made, of: .init(), RecordingBroadcast())
            } _: {
                try FileManager.default.contentsOfDirectory(atPath: directory.path)
            }
        }
    }

    @Test("Those of an abandoned start are removed, and it does not begin any more", arguments: [false, true])
    func abandoned(replacing: Bool) async throws {
        try await withWriter(replacing: replacing) { make, files in
            let starting = StartingOutputs()
            let writer = try await starting.create(make)
            #expect(writer != nil)
            try #expect(files().count == 1)
            #expect(await starting.abandon())
            try #expect(files().isEmpty)
            #expect(!starting.begin())
            #expect(await starting.abandon())
            #expect(try await starting.create(make) == nil)
            try #expect(files().isEmpty)
        }
    }

    @Test("Those of a recording that has begun stay")
    func begun() async throws {
        try await withWriter { make, files in
            let starting = StartingOutputs()
            let writer = try await starting.create(make)
            #expect(writer != nil)
            #expect(starting.begin())
            #expect(await !starting.abandon())
            try #expect(files() == ["take.wav"])
        }
    }

    /// A disk that does not answer until it is told to.
    private struct Disk {
        let isHanging = Promise<Void>()
        let answer = DispatchSemaphore(value: 0)

        func hang() {
            isHanging.fulfil(())
            answer.wait()
        }
    }

    @Test("A start is abandoned although the disk does not answer for its file; if it does later, nothing is left")
    func hangingDisk() async throws {
        try await withWriter { make, files in
            let starting = StartingOutputs()
            let disk = Disk()
            async let writer = starting.create { () throws(ACCAudioRecorderError) in
                disk.hang()
                return try make()
            }
            await disk.isHanging.value
            #expect(await starting.abandon())
            #expect(!starting.begin())
            disk.answer.signal()
            #expect(try await writer == nil)
            try #expect(files().isEmpty)
        }
    }

    @Test("An abandoned start waits for a file that is being created, and removes it")
    func lateFile() async throws {
        try await withWriter { make, files in
            let starting = StartingOutputs()
            let disk = Disk()
            async let writer = starting.create { () throws(ACCAudioRecorderError) in
                disk.hang()
                return try make()
            }
            await disk.isHanging.value
            // Whichever comes first, both are told the same.
            async let first = starting.abandon()
            async let second = starting.abandon()
            disk.answer.signal()
            #expect(await first)
            #expect(await second)
            try #expect(files().isEmpty)
            _ = try await writer
        }
    }
}
