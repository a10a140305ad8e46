import ACCAudioRecorder
import Foundation
import TestSupport
import Testing

/// Recordings without a sound server.
@Suite(.timeLimit(.minutes(1)))
struct SyntheticSourceTests {
    private static let bufferSize = 4_096
    private static let configuration = ACCAudioRecorder.Configuration(
        sampleRate: 48_000, channelCount: 2, bufferSize: UInt32(bufferSize))

    /// Frame n has the number n in its left channel, as far as floats are exact.
    private static func source(
        seconds: Double = 10, faults: [SyntheticSource.Fault] = [], pace: SyntheticSource.Pace = .asFastAsPossible
    ) throws -> SyntheticSource {
        try SyntheticSource(
            sampleRate: 48_000, channelCount: 2, frameCount: Int(seconds * 48_000), pace: pace, faults: faults
        ) { frame, channel in channel == 0 ? Float(frame) * 0x1p-24 : 0 }
    }

    /// Records this many frames of a source, or until it ends; returns the frames, events and report.
    private func record(
        _ source: SyntheticSource, finishingAfter count: Int?
    ) async throws -> (frames: [Int], events: [RecordingEvent], report: RecordingReport) {
        let recorder = ACCAudioRecorder(configuration: Self.configuration, source: source)
        let streams = try await recorder.startRecording()
        let events = Task {
            var events: [RecordingEvent] = []
            for await event in streams.events { events.append(event) }
            return events
        }
        var frames: [Int] = []
        for await buffer in streams.buffers {
            let samples = buffer.toFloatArray() ?? []
            frames += stride(from: 0, to: samples.count, by: 2).map { Int(samples[$0] * 0x1p24) }
            if let count, frames.count > count - Self.bufferSize { Task { await recorder.finishRecording() } }
        }
        let all = await events.value
        let reports = all.compactMap { event in if case .finished(let report) = event { report } else { nil } }
        return (frames, all, try #require(reports.last))
    }

    @Test("L-01: every sample is recorded, in order")
    func recordsAll() async throws {
        let (frames, _, report) = try await record(Self.source(), finishingAfter: 480_000)
        #expect(frames == Array(0..<480_000))
        #expect(report.frameCount == 480_000 && report.framesLost == 0 && report.ending == .finished)
    }

    @Test("L-01: finishing waits for the last sample of a source that is as fast as possible")
    func finishWaits() async throws {
        let recorder = ACCAudioRecorder(configuration: Self.configuration, source: try Self.source())
        _ = try await recorder.startRecording()
        let report = await recorder.finishRecording()
        #expect(report?.frameCount == 480_000)
    }

    @Test("L-01: an array and a file are sources as well")
    func otherSources() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.appending(path: "take.wav").path
            let samples = (0..<96_000).map { Float($0) * 0x1p-24 }
            let recorder = ACCAudioRecorder(
                configuration: Self.configuration,
                source: try SyntheticSource(samples: samples, sampleRate: 48_000, channelCount: 2))
            _ = try await recorder.startRecording(to: [RecordingOutput(path: path, encoding: .f32)])
            #expect(await recorder.finishRecording()?.frameCount == 48_000)
            #expect(try DecodedFile(URL(filePath: path)).samples == samples)

            let second = ACCAudioRecorder(configuration: Self.configuration, source: try SyntheticSource(path: path))
            let streams = try await second.startRecording()
            #expect(await second.finishRecording()?.frameCount == 48_000)
            var copy: [Float] = []
            for await buffer in streams.buffers { copy += buffer.toFloatArray() ?? [] }
            #expect(copy == samples)
        }
    }

    @Test(
        "R-12: a measurement holds the source's samples, and the start tells what was decided",
        arguments: [
            (ACCAudioRecorder.AudioSessionMode.measurement, 48_000.0, 2, SampleEncoding.f32),
            (.spokenAudio, 32_000, 1, .s16),
        ])
    func modesDecide(
        mode: ACCAudioRecorder.AudioSessionMode, rate: Double, channels: Int, encoding: SampleEncoding
    ) async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.appending(path: "take.wav").path
            let recorder = ACCAudioRecorder(
                configuration: .init(audioSessionMode: mode), source: try Self.source(seconds: 0.5))
            var mono = try RecordingOutput(path: directory.appending(path: "mono.wav").path, channelCount: 1)
            mono.format.encoding = .native
            let outputs = [try RecordingOutput(path: path), mono]
            var events = try await recorder.startRecording(to: outputs).events.makeAsyncIterator()
            guard case .opened(let source, let format) = await events.next() else {
                Issue.record("no start")
                return
            }
            #expect(source.name == "synthetic" && format.sampleRate == rate)
            #expect(Int(format.channelCount) == channels && format.bufferSize == mode.bufferSize)
            #expect(format.outputs.map(\.format.sampleRate.value) == [rate, rate])
            #expect(format.outputs.map(\.format.channelCount.value) == [UInt32(channels), 1])
            #expect(format.outputs.map(\.format.encoding.value) == [encoding, .f32])
            let report = try #require(await recorder.finishRecording())
            #expect(report.outputs.map(\.output) == format.outputs)
            #expect(report.outputs[0].isBitExact == (mode == .measurement))
        }
    }

    @Test("C-02, L-01: faults of the source are reported in order with their causes, and the missing frames add up")
    func faultsAreReported() async throws {
        let faults: [SyntheticSource.Fault] = [
            .init(.dropped(frames: 1_000), atFrame: 48_000), .init(.suspended(.seconds(0.5)), atFrame: 96_000),
            .init(.removed(.seconds(0.25)), atFrame: 192_000), .init(.serverLost(.seconds(1)), atFrame: 288_000),
        ]
        let (frames, events, report) = try await record(Self.source(faults: faults), finishingAfter: 480_000 - 85_000)
        #expect(
            report.gaps.map(\.cause) == [
                .dropped, .interruption(.suspended), .interruption(.deviceLost), .interruption(.serverLost),
            ])
        let missing = [1_000, 24_000, 12_000, 48_000]
        #expect(report.gaps.map(\.framesLost) == missing)
        let places = [48_000, 96_000, 192_000, 288_000]
        let expected = (0..<480_000).filter { frame in
            !zip(places, missing).contains { ($0..<$0 + $1).contains(frame) }
        }
        #expect(frames == expected)
        let course = events.compactMap { event -> RecordingInterruption? in
            if case .interrupted(let cause) = event { cause } else { nil }
        }
        #expect(course == [.suspended, .deviceLost, .serverLost])
    }

    @Test("I-09, L-01: a stream that is killed at the server ends the recording, which keeps what it has")
    func aKilledStream() async throws {
        let (frames, _, report) = try await record(
            Self.source(faults: [.init(.killed, atFrame: 100_000)]), finishingAfter: nil)
        #expect(frames == Array(0..<100_000))
        guard case .failed(let error) = report.ending else {
            Issue.record("it ended with \(report.ending)")
            return
        }
        #expect(error.failure?.reason == .streamKilled)
    }

    @Test("L-01: a real-time source is cut off when the recording is finished")
    func realTime() async throws {
        let recorder = ACCAudioRecorder(
            configuration: Self.configuration, source: try Self.source(seconds: 60, pace: .realTime))
        let streams = try await recorder.startRecording()
        var frames = 0
        for await buffer in streams.buffers {
            frames += Int(buffer.frameLength)
            if frames >= 24_000 { break }
        }
        let report = try #require(await recorder.finishRecording())
        #expect(report.frameCount >= 24_000 && report.frameCount < 60 * 48_000)
    }

    @Test(
        "F-03, L-01: a source without channels or with others out of range is rejected",
        arguments: [(0, 2), (.nan, 2), (44_100.5, 2), (48_000, 0), (48_000, 33)])
    func refusesWhatCannotBe(rate: Double, channels: UInt32) {
        #expect(throws: ACCAudioRecorderError.self) {
            try SyntheticSource(samples: [Float(0)], sampleRate: rate, channelCount: channels)
        }
    }

    @Test("L-01: a source that is as fast as possible waits for its subscribers, whatever their format")
    func waitsForSubscribers() async throws {
        let rate = 8_000
        let recorder = ACCAudioRecorder(
            configuration: .init(sampleRate: Double(rate), channelCount: 1, bufferSize: 800),
            source: try SyntheticSource(sampleRate: Double(rate), channelCount: 1, frameCount: 300 * rate) { _, _ in 0 }
        )
        let audio = try recorder.buffers(format: .init(sampleRate: 16_000))
        try await recorder.startRecording()
        let report = Task { await recorder.finishRecording() }
        // More than is kept for a subscriber.
        try await eventually("half a minute") { await recorder.currentFrameCount() ?? 0 >= 30 * rate }
        var frames = 0
        for buffer in await audio.ofOneRecording.buffers {
            #expect(buffer.sampleRate == 16_000)
            frames += Int(buffer.frameLength)
        }
        #expect(frames == 600 * rate)
        #expect(await report.value?.frameCount == 300 * rate)
    }

    @Test("L-01: a fault at a frame that an earlier one has left out happens right after it")
    func faultsWithinAnother() async throws {
        let faults: [SyntheticSource.Fault] = [
            .init(.dropped(frames: 48_000), atFrame: 48_000), .init(.dropped(frames: 4_800), atFrame: 60_000),
        ]
        let report = try await record(Self.source(faults: faults), finishingAfter: 48_000).report
        #expect(report.frameCount == 480_000 - 52_800 && report.framesLost == 52_800)
    }

    @Test("The configuration of a program with several inputs records a synthetic source, which is one")
    func configurationOfSeveralInputs() async throws {
        var configuration = ACCAudioRecorder.Configuration(
            sampleRate: 48_000, channelCount: 2, soundActivation: SoundActivation(openingLevel: -40, input: "desktop"))
        configuration.inputs = [.source(nil), .desktop]
        configuration.inputSettings = [.desktop: InputSettings(gain: -6)]
        let source = try SyntheticSource(
            samples: [Float](repeating: 0.5, count: 96_000), sampleRate: 48_000, channelCount: 2)
        let recorder = ACCAudioRecorder(configuration: configuration, source: source)
        try await recorder.startRecording()
        #expect(await recorder.finishRecording()?.frameCount == 48_000)
    }
}
