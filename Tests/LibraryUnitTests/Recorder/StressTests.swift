import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ACCAudioRecorder

/// Many subscribers, and recorders without an owner. Also run with the thread and address sanitisers.
@Suite(.timeLimit(.minutes(1)))
struct StressTests {
    @Test("R-02: a thousand subscribers come and go; those that stay miss nothing")
    func aThousandSubscribers() async throws {
        let clock = SyntheticClock()
        let recorder = try NumberedSource.recorder(by: clock, bufferSize: 240)
        let streams = try await recorder.startRecording()
        let isOver = Atomic(false)
        // The time passes as fast as the one that stays reads.
        async let stayed = {
            var buffers = streams.buffers.makeAsyncIterator()
            var stayed: [AudioBufferData] = []
            while !isOver.load(ordering: .relaxed) {
                clock.advance(by: .milliseconds(5))
                if let buffer = await buffers.next() { stayed.append(buffer) }
            }
            return stayed
        }()
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
        isOver.store(true, ordering: .relaxed)
        let buffers = await stayed
        let report = try #require(await recorder.finishRecording())
        #expect(report.frameCount == 240 * buffers.count && report.framesLost == 0)
        #expect(NumberedSource.numbers(buffers) == Array(0..<report.frameCount))
    }

    @Test("A recorder that is released finishes its recording")
    func aReleasedRecorderFinishes() async throws {
        try await TemporaryDirectory.with { directory in
            for round in 0..<10 {
                let clock = SyntheticClock()
                let path = directory.appending(path: "\(round).wav")
                var recorder: ACCAudioRecorder? = try NumberedSource.recorder(by: clock)
                weak let released = recorder
                let streams = try #require(await recorder?.startRecording(to: [RecordingOutput(path: path.path)]))
                if round % 2 == 0 { clock.advance(by: .milliseconds(100)) }
                recorder = nil
                try await eventually("the release") { released == nil }
                let report = try #require(await streams.events.all.report)
                // A recording that ends where it began has 2 ms.
                #expect(report.ending == .finished && report.frameCount == (round % 2 == 0 ? 4_800 : 96))
                #expect(try PCMFile(wav: path).frames == report.frameCount)
            }
        }
    }
}
