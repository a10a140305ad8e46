import FoundationEssentials

@testable import ACCAudioRecorder

/// Buffers to many subscribers, each of which reads all of them.
enum BroadcastBenchmark {
    private static let bufferCount = 100

    static func run(turns: Int) async -> [Figure] {
        var sending: [Int: [Double]] = [:]
        var delivery: [Int: [Double]] = [:]
        let counts = [1, 10, 1_000]
        for _ in 0..<turns {
            for count in counts {
                let (sent, delivered) = await broadcast(to: count)
                sending[count, default: []].append(sent / .microseconds(1) / Double(bufferCount))
                delivery[count, default: []].append(delivered / .microseconds(1) / Double(bufferCount))
            }
        }
        return counts.flatMap { count in
            let subscribers = "\(count) subscriber\(count == 1 ? "" : "s")"
            return [
                Figure("a buffer sent, on the engine thread", subscribers, unit: "µs", values: sending[count] ?? []),
                Figure("a buffer sent and read by all", subscribers, unit: "µs", values: delivery[count] ?? []),
            ]
        }
    }

    private static func broadcast(to subscriberCount: Int) async -> (sending: Duration, delivery: Duration) {
        let broadcast = RecordingBroadcast()
        let buffer = AudioBufferData(
            data: Data(count: 4_096 * 4), frameLength: 4_096, sampleRate: 48_000, channelCount: 1, timestamp: 0,
            hostTime: 0)
        return await withTaskGroup(of: Int.self) { group in
            for _ in 0..<subscriberCount {
                let buffers = broadcast.subscribe().buffers
                group.addTask { await buffers.reduce(0) { count, _ in count + 1 } }
            }
            let clock = ContinuousClock()
            let start = clock.now
            for _ in 0..<bufferCount { broadcast.audio.send(.buffer(buffer)) }
            let sent = clock.now
            broadcast.audio.finish()
            for await count in group { precondition(count == bufferCount) }
            return (start.duration(to: sent), start.duration(to: clock.now))
        }
    }
}
