import FoundationEssentials
import Testing

@testable import ACCAudioRecorder

private struct Number: Subscribable, Equatable {
    let value: Int
}

@Suite struct BroadcastTests {
    @Test("R-03: a late subscriber gets history and state at once")
    func givesLateSubscribersTheHistory() async {
        let broadcast = RecordingBroadcast()
        for level in 0..<150 { broadcast.append(level: Float(-level)) }
        broadcast.send(state: RecordingState(isRecording: true, isPaused: false, currentDuration: 1.5))
        let streams = broadcast.subscribe()
        broadcast.finish()

        var histories = streams.audioLevelHistory.makeAsyncIterator()
        #expect(await histories.next() == (50..<150).map { Float(-$0) })
        var last: RecordingState?
        for await state in streams.state { last = state }
        #expect(last == .idle)
    }

    @Test func releasesUnusedStreams() {
        let publisher = Publisher<Number>()
        do {
            let stream = publisher.subscribe()
            withExtendedLifetime(stream) { #expect(publisher.hasSubscribers) }
        }
        #expect(!publisher.hasSubscribers)
    }

    @Test func missedBuffersAreCountedBeyond32Bits() async {
        let broadcast = RecordingBroadcast()
        let streams = broadcast.subscribe()
        let buffer = AudioBufferData(
            data: Data(), frameLength: 0x4000_0000, sampleRate: 384_000, channelCount: 1, timestamp: 0, hostTime: 0)
        for _ in 0..<6 { broadcast.audio.send(.buffer(buffer)) }
        var iterator = streams.buffers.makeAsyncIterator()
        #expect(await iterator.next()?.missedFrameLength == 0)
        broadcast.audio.send(.buffer(buffer))
        #expect(await iterator.next()?.missedFrameLength == 5 * 0x4000_0000)
    }

    /// When a task is cancelled, its cancellation handler calls the publisher with the runtime's lock of the task held,
    /// and a value that wakes the task needs that lock. A publisher that held its own lock meanwhile would deadlock.
    @Test(.timeLimit(.minutes(1)))
    func cancellationNeverBlocksASender() async throws {
        let publisher = Publisher<Number>()
        let sent = Promise<Int>()
        try DetachedThread.start("test") {
            var number = 0
            while number < 200_000 {
                publisher.send(Number(value: number))
                number += 1
            }
            sent.fulfil(number)
        }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4_000 {
                let stream = publisher.subscribe(mostOthers: 1)
                let consumer = Task {
                    for await _ in stream {}
                }
                group.addTask { await consumer.value }
                await Task.yield()
                consumer.cancel()
            }
        }
        #expect(await sent.value == 200_000)
        #expect(!publisher.hasSubscribers)
    }

    @Test("All streams get what several threads send in the same order", .timeLimit(.minutes(1)))
    func sendersAreInOneOrder() async throws {
        let publisher = Publisher<Number>()
        let count = 20_000
        let streams = (0..<2).map { _ in publisher.subscribe(mostOthers: 2 * count) }
        let ends = try (0..<2).map { sender in
            let end = Promise<Void>()
            try DetachedThread.start("test") {
                for number in 0..<count { publisher.send(Number(value: 2 * number + sender)) }
                end.fulfil(())
            }
            return end
        }
        for end in ends { await end.value }
        publisher.finish()
        let (first, second) = (await streams[0].all, await streams[1].all)
        #expect(first.count == 2 * count)
        let difference = zip(first, second).enumerated().first { $0.element.0 != $0.element.1 }
        #expect(first.count == second.count && difference == nil, "\(String(describing: difference))")
    }

    @Test func endsLateStreamsAtOnce() async {
        let publisher = Publisher<Number>()
        publisher.finish()
        for await _ in publisher.subscribe() { Issue.record("a value after the end") }
    }

    private static let speech = BufferFormat(sampleRate: 16_000, channelCount: 1)

    @Test("A stream of a format of its own ends at once after the end", .timeLimit(.minutes(1)))
    func endsLateConvertedStreams() async {
        let broadcast = RecordingBroadcast()
        broadcast.finish()
        for await _ in broadcast.audio(in: Self.speech).subscribe() { Issue.record("a buffer after the end") }
    }

    @Test("A recording is followed as long as somebody subscribes, whatever the format")
    func isFollowed() {
        let broadcast = RecordingBroadcast()
        do {
            let stream = broadcast.audio(in: Self.speech).subscribe()
            withExtendedLifetime(stream) { #expect(broadcast.isFollowed) }
        }
        #expect(!broadcast.isFollowed)
    }
}
