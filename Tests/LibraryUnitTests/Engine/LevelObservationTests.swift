import Foundation
import Synchronization
import Testing

@testable import ACCAudioRecorder

/// The levels that an engine passes to its observer.
@Suite struct LevelObservationTests {
    private let feed = CounterFeed()

    private final class Received: Sendable {
        let levels = Mutex<[RecordingLevels]>([])
    }

    @Test(
        "The observer receives the level of every frame once, at exact intervals, whatever the buffer size",
        arguments: [512, 4096], [480, 4_800])
    func everyFrameIsReceivedOnce(bufferSize: UInt32, interval: Int) async throws {
        let received = Received()
        let observer = LevelObserver(interval: Double(interval) / 48_000) { levels in
            received.levels.withLock { $0.append(levels) }
        }
        let configuration = ACCAudioRecorder.Configuration(
            sampleRate: 48_000, channelCount: 2, bufferSize: bufferSize)
        let engine = feed.engine(configuration, RecordingBroadcast(), levelObserver: observer)
        _ = try await feed.record(frames: 100_001, by: engine)
        // A second segment, which has levels of its own.
        _ = try await feed.record(frames: 20_000, by: engine, at: 10_000_000_000)

        let levels = received.levels.withLock { $0 }
        var end = 0
        for level in levels {
            let frames = Int((level.timestamp * 48_000).rounded()) - end
            end += frames
            #expect(level.frame == end)
            #expect(level.channels.map(\.sampleCount) == [frames, frames])
            #expect(
                frames == interval || frames < interval && [100_001, 120_001].contains(end),
                "\(frames) frames until \(end)")
        }
        #expect(end == 120_001)
        // Frame 32,768 is the loudest in the first channel, with −32,768.
        let peaks = levels.map { $0.channels[0].peak }
        #expect(peaks.max() == 1)
        // The second channel counts the wraps of the first, so its first 65,536 frames are silent.
        #expect(levels.first?.channels[1].peak == 0)
    }

    @Test("Samples at full scale are counted over the whole recording")
    func clippedSamplesAreCountedOn() async throws {
        let received = Received()
        let observer = LevelObserver(interval: 0.1) { levels in received.levels.withLock { $0.append(levels) } }
        let configuration = ACCAudioRecorder.Configuration(sampleRate: 48_000, channelCount: 2)
        let engine = feed.engine(configuration, RecordingBroadcast(), levelObserver: observer)
        for start in [1, 10] {
            _ = try await feed.record(frames: 40_000, by: engine, at: UInt64(start) * 1_000_000_000)
        }
        let levels = received.levels.withLock { $0 }
        // Each time the counter has 32,767, −32,768 and −32,767 once.
        #expect(levels.first?.totalClippedCount == 0)
        #expect(levels.last?.totalClippedCount == 6)
        #expect(levels.reduce(0) { $0 + $1.channels[0].clippedCount } == 6)
    }
}
