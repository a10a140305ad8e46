import ACCAudioRecorder
import Foundation
import TestSupport
import Testing

/// Also run with the thread and address sanitisers: `make sanitize`.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct StressTests {
    @Test("R-02: a thousand subscribers come and go; those that stay miss nothing")
    func aThousandSubscribers() async throws {
        try await RecorderFixture.withCounter(.pulseAudio) { server in
            let configuration = RecorderFixture.configuration(server, bufferSize: 240)
            let recorder = ACCAudioRecorder(configuration: configuration)
            let streams = try await recorder.startRecording()
            async let stayed = RecorderFixture.all(streams.buffers)
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<1_000 {
                    group.addTask {
                        guard let own = await recorder.getCurrentStreams() else { return }
                        // Some never read, some stop halfway, some are cancelled.
                        let reader = Task {
                            var last = -1.0
                            var seen = 0
                            for await buffer in own.buffers {
                                #expect(buffer.timestamp > last)
                                last = buffer.timestamp
                                seen += 1
                                if seen == number % 7 { break }
                            }
                        }
                        var levels = own.audioLevelHistory.makeAsyncIterator()
                        if number % 3 == 0 { _ = await levels.next() }
                        if number % 2 == 0 { reader.cancel() }
                        if number % 7 != 0 { await reader.value } else { reader.cancel() }
                    }
                }
                await group.waitForAll()
            }
            let report = try #require(await recorder.finishRecording())
            let buffers = await stayed
            #expect(buffers.reduce(0) { $0 + Int($1.frameLength) } == report.frameCount)
            #expect(report.framesLost == 0)
            #expect(RecorderFixture.breaks(buffers.flatMap(RecorderFixture.numbers)).isEmpty)
        }
    }

    @Test("A recorder that is released finishes its recording")
    func aReleasedRecorderFinishes() async throws {
        try await RecorderFixture.withCounter(.pulseAudio) { server in
            for round in 0..<10 {
                let path = server.directory.appending(path: "\(round).wav")
                var recorder: ACCAudioRecorder? = ACCAudioRecorder(
                    configuration: RecorderFixture.configuration(server, bufferSize: 480))
                weak let released = recorder
                let streams = try #require(
                    await recorder?.startRecording(to: [RecordingOutput(path: path.path)]))
                if round % 2 == 0 { try await RecorderFixture.wait(for: 0.1, of: try #require(recorder)) }
                recorder = nil
                try await eventually("the release") { released == nil }
                var last: RecordingEvent?
                for await event in streams.events { last = event }
                guard case .finished(let report) = last else {
                    Issue.record("no report")
                    return
                }
                if report.frameCount > 0 { #expect(try PCMFile(wav: path).frames == report.frameCount) }
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
