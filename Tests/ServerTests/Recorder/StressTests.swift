import ACCAudioRecorder
import Foundation
import TestSupport
import Testing

/// What many recordings, and recordings without an owner, leave behind at a server and in the process. Also run with the
/// thread and address sanitisers: `make sanitize`.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct StressTests {
    @Test("A recorder that is released in the course of its recording closes its stream at the server")
    func aReleasedRecorder() async throws {
        try await RecorderFixture.withCounter(.pulseAudio) { server in
            for round in 0..<10 {
                var recorder: ACCAudioRecorder? = ACCAudioRecorder(
                    configuration: RecorderFixture.configuration(server, bufferSize: 480))
                weak let released = recorder
                let events = try #require(await recorder?.startRecording().events)
                if round % 2 == 0 { try await RecorderFixture.wait(for: 0.1, of: try #require(recorder)) }
                recorder = nil
                try await eventually("the release") { released == nil }
                for await _ in events {}
                try await eventually("the end of the stream") {
                    try await server.pactl("list", "short", "source-outputs").isEmpty
                }
            }
        }
    }

    // The address sanitiser keeps freed memory.
    @Test("A hundred recordings leave nothing behind in the process", .tags(.skipsAddressSanitizer))
    func aHundredRecordings() async throws {
        try await RecorderFixture.withCounter(.pulseAudio) { server in
            let recorder = ACCAudioRecorder(configuration: RecorderFixture.configuration(server, bufferSize: 480))
            var early = try await ProcessResources.settled()
            for number in 1...100 {
                let path = server.directory.appending(path: "\(number).wav").path
                let streams = try await recorder.startRecording(to: [RecordingOutput(path: path)])
                async let buffers = RecorderFixture.all(streams.buffers).count
                try await RecorderFixture.wait(for: 0.02, of: recorder)
                await recorder.finishRecording()
                _ = await buffers
                try FileManager.default.removeItem(atPath: path)
                if number == 10 { early = try await ProcessResources.settled() }
            }
            let late = try await ProcessResources.settled()
            // The runtime creates workers and timers on demand. A leak would show ninety times.
            #expect(late.descriptors < early.descriptors + 45)
            #expect(late.threads < early.threads + 45)
            print("Resident after 10 recordings \(early.residentKilobytes) kB, after 100 \(late.residentKilobytes) kB")
            #if !ACCREC_THREAD_SANITIZER
            // Tolerates variations of the allocator; a leak of a single ring would be 90 times 400 kB.
            #expect(late.residentKilobytes - early.residentKilobytes < 4_096)
            #endif
        }
    }
}
