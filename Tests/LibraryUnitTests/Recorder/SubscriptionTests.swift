import ACCAudioRecorder
import Foundation
import TestSupport
import Testing

/// L-02: subscriptions to one stream alone, in formats of their own, with gaps in their place. Sees the public interface only.
@Suite(.timeLimit(.minutes(1)))
struct SubscriptionTests {
    private static func recorder(_ clock: SyntheticClock) throws -> ACCAudioRecorder {
        ACCAudioRecorder(
            configuration: .init(sampleRate: 48_000, channelCount: 2),
            source: try SyntheticSource(sampleRate: 48_000, channelCount: 2, pace: .clock(clock)) { frame, channel in
                Float(sin(Double(frame) * (channel == 0 ? 0.05 : 0.11))) / 2
            })
    }

    private static let speech = BufferFormat(sampleRate: 16_000, channelCount: 1)

    private static func samples(_ audio: Subscription<RecordedAudio>) async -> [Float] {
        var samples: [Float] = []
        for buffer in await audio.ofOneRecording.buffers {
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
                let (wide, speech) = (try recorder.buffers(), try recorder.buffers(format: Self.speech))
                try await recorder.startRecording(to: outputs)
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
            let late = try recorder.buffers(format: Self.speech)
            clock.advance(by: .seconds(1))
            for await case .buffer(let buffer) in late {
                #expect(buffer.sampleRate == 16_000 && buffer.channelCount == 1 && buffer.timestamp >= 0.9)
                let expected = main[0].hostTime + UInt64(buffer.timestamp * 1e9)
                #expect(abs(Double(buffer.hostTime) - Double(expected)) < 1e6)
                break
            }
        }
        #expect(await recorder.finishRecording()?.frameCount == 144_000)
    }

    @Test("L-02: each stream lives across recordings, from the first frame of each on, and ends with the recorder")
    func acrossRecordings() async throws {
        let clock = SyntheticClock()
        var recorder: ACCAudioRecorder? = try Self.recorder(clock)
        weak let weakRecorder = recorder
        let audio = try #require(recorder).buffers()
        let levels = try #require(recorder).levels(policy: .oldest())
        let states = try #require(recorder).states()
        let events = try #require(recorder).events()
        var iterator = states.makeAsyncIterator()
        #expect(await iterator.next()?.isRecording == false)
        var frames: [Int] = []
        for seconds in [1, 2] {
            try await recorder?.startRecording()
            #expect(await iterator.next()?.isRecording == true)
            clock.advance(by: .seconds(seconds))
            let report = try #require(await recorder?.finishRecording())
            let received = await audio.ofOneRecording
            #expect(received.frames == (report.frameCount, 0))
            guard case .ended(report) = received.last else {
                Issue.record("\(String(describing: received.last))")
                continue
            }
            #expect(received.buffers.first?.timestamp == 0)
            frames.append(report.frameCount)
        }
        #expect(frames == [48_000, 96_000])
        // Whoever waits keeps no recorder.
        let waiting = Task { await audio.all.count }
        recorder = nil
        #expect(await waiting.value == 0)
        #expect(weakRecorder == nil)
        #expect(await levels.all.reduce(0) { $0 + $1.frameLength } == 144_000)
        var last: RecordingState?
        while let state = await iterator.next() { last = state }
        #expect(last?.isRecording == false)
        let ends = await events.all.compactMap { if case .finished(let report) = $0 { report.frameCount } else { nil } }
        #expect(ends == frames)
        #expect(await audio.all.isEmpty)
    }

    @Test("L-02: gaps are in their place, in any format, and no buffer spans one", arguments: [48_000.0, 16_000])
    func gapsInTheirPlace(rate: Double) async throws {
        let clock = SyntheticClock()
        let recorder = try NumberedSource.recorder(
            by: clock,
            faults: [.init(.dropped(frames: 4_800), atFrame: 50_000), .init(.removed(.seconds(2)), atFrame: 100_000)])
        let audio = try recorder.buffers(format: .init(sampleRate: rate))
        try await recorder.startRecording()
        for _ in 0..<50 { clock.advance(by: .milliseconds(100)) }
        let report = try #require(await recorder.finishRecording())
        #expect(report.gaps.count == 2)
        var (position, gaps, end) = (0.0, [RecordingGap](), 0.0)
        for audio in await audio.ofOneRecording {
            switch audio {
            case .buffer(let buffer):
                #expect(abs(buffer.timestamp - position) < 1e-9)
                position = buffer.timestamp + Double(buffer.frameLength) / rate
                let time = Double(buffer.hostTime) * 1e-9
                if let gap = gaps.last, abs(gap.offset / .seconds(1) - end) < 1e-6 {
                    #expect(time - end > gap.length / .seconds(2))
                }
                end = position
            case .gap(let gap):
                #expect(abs(position - gap.offset / .seconds(1)) < 1.5 / rate)
                gaps.append(gap)
            case .ended(let ended): #expect(ended == report)
            default: Issue.record("\(audio)")
            }
        }
        #expect(gaps == report.gaps)
        #expect(abs(position - Double(report.frameCount) / 48_000) < 1 / rate)
    }

    private static func ramp(minutes: Int) throws -> ACCAudioRecorder {
        ACCAudioRecorder(
            configuration: .init(sampleRate: 8_000, channelCount: 1, bufferSize: 160),
            source: try SyntheticSource(sampleRate: 8_000, channelCount: 1, frameCount: minutes * 60 * 8_000) {
                frame, _ in
                Float(frame & 0xFFFF) * 0x1p-17
            })
    }

    @Test("L-02: with the policy that waits, nothing of ten minutes is missing as fast as possible")
    func waiting() async throws {
        let recorder = try Self.ramp(minutes: 10)
        let audio = try recorder.buffers(format: .init(sampleRate: 16_000), policy: .waiting)
        let levels = recorder.levels(policy: .waiting)
        try await recorder.startRecording()
        async let measured = levels.prefix(10 * 60 * 50).reduce(0) { $0 + $1.frameLength }
        async let finished = recorder.finishRecording()
        let received = await audio.ofOneRecording
        #expect(received.frames == (10 * 60 * 16_000, 0))
        #expect(await measured == 10 * 60 * 8_000)
        #expect(await finished?.frameCount == 10 * 60 * 8_000)
    }

    @Test("L-02: a recording does not wait for ever for a subscriber that waits for its end")
    func waitingForEachOther() async throws {
        let recorder = try Self.ramp(minutes: 1)
        let audio = try recorder.buffers(policy: .waiting)
        try await recorder.startRecording()
        var received: [RecordedAudio] = []
        var report: RecordingReport?
        loop: for await audio in audio {
            received.append(audio)
            switch audio {
            case .buffer where report == nil: report = await recorder.finishRecording()
            case .ended: break loop
            default: break
            }
        }
        let frames = received.frames
        #expect(report?.frameCount == 60 * 8_000 && frames.received + frames.dropped == 60 * 8_000)
        #expect(frames.received >= 8_000)
    }

    @Test(
        "L-02: what is dropped is told in its place, and the rest is as the policy says",
        arguments: [BufferingPolicy.oldest(.seconds(2)), .newest(.seconds(2)), .newest()])
    func policies(policy: BufferingPolicy) async throws {
        let clock = SyntheticClock()
        let recorder = try NumberedSource.recorder(by: clock, bufferSize: 4_800)
        let audio = try recorder.buffers(policy: policy)
        try await recorder.startRecording()
        for _ in 0..<100 { clock.advance(by: .milliseconds(100)) }
        try await eventually("10 s") { await recorder.currentFrameCount() == 480_000 }
        var (position, frames) = (0, 0)
        var iterator = audio.makeAsyncIterator()
        let isNewest = policy != .oldest(.seconds(2))
        while position < 480_000, let audio = await iterator.next() {
            switch audio {
            case .buffer(let buffer):
                #expect(NumberedSource.numbers([buffer]) == Array(position..<position + 4_800))
                position += 4_800
                frames += 4_800
            case .dropped(let frames):
                #expect(position == (isNewest ? 0 : 96_000))
                position += frames
            default: Issue.record("\(audio)")
            }
            // The note of what was dropped comes with the next buffer, or before.
            if position == 96_000, !isNewest { clock.advance(by: .milliseconds(100)) }
        }
        #expect(frames == (policy == .newest() ? 4_800 : 96_000))
        await recorder.finishRecording()
    }

    @Test("R-09: formats out of range are refused", arguments: [(1.0, 1), (44_100.5, 1), (48_000, 0), (48_000, 33)])
    func refusals(rate: Double, channels: Int) throws {
        let recorder = try Self.recorder(SyntheticClock())
        #expect(throws: ACCAudioRecorderError.self) {
            try recorder.buffers(format: .init(sampleRate: rate, channelCount: UInt32(channels)))
        }
    }

    @Test("L-02: a recording does not start while a subscription asks for an input that it has not")
    func unknownInput() async throws {
        let recorder = try Self.recorder(SyntheticClock())
        var audio: Subscription<RecordedAudio>? = try recorder.buffers(format: .init(input: "lark"))
        let error = await #expect(throws: ACCAudioRecorderError.self) { try await recorder.startRecording() }
        #expect(error?.description.contains("'lark'") == true)
        withExtendedLifetime(audio) {}
        audio = nil
        try await recorder.startRecording()
        #expect(throws: ACCAudioRecorderError.self) { try recorder.buffers(format: .init(input: "lark")) }
        await recorder.discardRecording()
    }
}
