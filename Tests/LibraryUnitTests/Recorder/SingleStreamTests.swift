import ACCAudioRecorder
import Foundation
import TestSupport
import Testing

/// L-02: streams one by one, and buffers in formats of their own. Sees the public interface only.
@Suite(.timeLimit(.minutes(1)))
struct SingleStreamTests {
    private static func recorder(_ clock: SyntheticClock) throws -> ACCAudioRecorder {
        ACCAudioRecorder(
            configuration: .init(sampleRate: 48_000, channelCount: 2),
            source: try SyntheticSource(sampleRate: 48_000, channelCount: 2, pace: .clock(clock)) { frame, channel in
                Float(sin(Double(frame) * (channel == 0 ? 0.05 : 0.11))) / 2
            })
    }

    private static func samples(_ buffers: AsyncStream<AudioBufferData>) async -> [Float] {
        var samples: [Float] = []
        for await buffer in buffers {
            #expect(buffer.timestamp == Double(samples.count / Int(buffer.channelCount)) / buffer.sampleRate)
            samples += buffer.toFloatArray() ?? []
        }
        return samples
    }

    @Test(
        "L-02: subscribers in two formats get what files of those formats hold, with or without such files",
        arguments: [true, false])
    func twoFormats(hasFiles: Bool) async throws {
        try await TemporaryDirectory.with { directory in
            let clock = SyntheticClock()
            let paths = ["wide.wav", "speech.wav"].map { directory.appending(path: $0).path }
            let outputs = [
                try RecordingOutput(path: paths[0], encoding: .f32),
                try RecordingOutput(path: paths[1], encoding: .f32, sampleRate: 16_000, channelCount: 1),
            ]
            func record(to outputs: [RecordingOutput]) async throws -> [[Float]] {
                let recorder = try Self.recorder(clock)
                try await recorder.startRecording(to: outputs)
                let wide = try #require(await recorder.bufferStream())
                let speech = try #require(await recorder.bufferStream(sampleRate: 16_000, channelCount: 1))
                clock.advance(by: .seconds(2))
                await recorder.pauseRecording()
                try await recorder.resumeRecording()
                clock.advance(by: .milliseconds(1_234))
                await recorder.finishRecording()
                return [await Self.samples(wide), await Self.samples(speech)]
            }
            let taken = try await record(to: outputs)
            let files = try paths.map { try DecodedFile(URL(filePath: $0)).samples }
            let received = hasFiles ? taken : try await record(to: [])
            #expect(files.map(\.count) == [2 * 155_232, 51_744])
            #expect(received == files)
        }
    }

    @Test("L-02: a late subscriber gets exact positions and times, and one that leaves costs nothing more")
    func lateSubscriber() async throws {
        let clock = SyntheticClock()
        let recorder = try Self.recorder(clock)
        let buffers = try await recorder.startRecording().buffers
        clock.advance(by: .seconds(1))
        // 11 whole buffers.
        var main: [AudioBufferData] = []
        for await buffer in buffers {
            main.append(buffer)
            if main.count == 11 { break }
        }
        for _ in 0..<2 {
            let late = try #require(await recorder.bufferStream(sampleRate: 16_000, channelCount: 1))
            clock.advance(by: .seconds(1))
            for await buffer in late {
                #expect(buffer.sampleRate == 16_000 && buffer.channelCount == 1 && buffer.timestamp >= 0.9)
                let expected = main[0].hostTime + UInt64(buffer.timestamp * 1e9)
                #expect(abs(Double(buffer.hostTime) - Double(expected)) < 1e6)
                break
            }
        }
        #expect(await recorder.finishRecording()?.frameCount == 144_000)
    }

    @Test("L-02: each stream alone")
    func single() async throws {
        let clock = SyntheticClock()
        let recorder = try Self.recorder(clock)
        #expect(await recorder.levelStream() == nil)
        #expect(await recorder.stateStream() == nil)
        #expect(await recorder.levelHistoryStream() == nil)
        #expect(await recorder.eventStream() == nil)
        #expect(try await recorder.bufferStream() == nil)
        try await recorder.startRecording()
        let levels = try #require(await recorder.levelStream())
        let histories = try #require(await recorder.levelHistoryStream())
        let states = try #require(await recorder.stateStream())
        let events = try #require(await recorder.eventStream())
        clock.advance(by: .seconds(1))
        await recorder.finishRecording()
        var last = (level: 0.0, history: 0, state: true)
        for await level in levels { last.level = level.timestamp }
        for await history in histories { last.history = history.count }
        for await state in states { last.state = state.isRecording }
        #expect(last == (1, 12, false))
        var report: RecordingReport?
        for await case .finished(let final) in events { report = final }
        #expect(report?.frameCount == 48_000)
    }

    @Test("R-09: formats out of range are refused", arguments: [(1.0, 1), (44_100.5, 1), (48_000, 0), (48_000, 33)])
    func refusals(rate: Double, channels: Int) async throws {
        let recorder = try Self.recorder(SyntheticClock())
        try await recorder.startRecording()
        await #expect(throws: ACCAudioRecorderError.self) {
            try await recorder.bufferStream(sampleRate: rate, channelCount: UInt32(channels))
        }
        await recorder.discardRecording()
    }
}
