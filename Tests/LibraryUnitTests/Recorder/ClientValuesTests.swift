import ACCAudioRecorder
import Foundation
import Testing

/// L-01: a program's tests can make every value that the library gives it. Sees the public interface only.
@Suite struct ClientValuesTests {
    private static let source = AudioSource(
        name: "mic", description: "Microphone",
        sampleSpec: SampleSpec(format: .s16LE, sampleRate: 48_000, channelCount: 2), kind: .usb,
        volume: SourceVolume(percentages: [40, 100]))

    @Test("L-01: sources")
    func sources() {
        let source = Self.source
        #expect(source.volume.percentages == [40, 100] && !source.volume.isUnity)
        #expect(source.channelMap == .standard(channelCount: 2) && source.isAvailable && !source.isMonitor)
        let plain = AudioSource(name: "line", sampleSpec: source.sampleSpec)
        #expect(plain.description == "line" && plain.volume.isUnity && plain.kind == .virtual)
        let list = SourceList(
            sources: [source, plain], choice: .success(SourceChoice(source: source, reason: .serverDefault)))
        #expect(list.defaultSource == source)
        let sink = MonitoredSink(name: "room", volume: source.volume, isMonitorMuted: true)
        #expect(RecordingWarning.sinkMuted(sink).problem.contains("'room'"))
    }

    @Test("L-01: volumes out of range are limited")
    func volumes() {
        #expect(SourceVolume(percentages: [-5, 99_999]).percentages == [0, 10_000])
    }

    @Test("L-01: levels and states")
    func levels() {
        let level = ChannelLevel(peak: 1, rms: 0.5, clippedCount: 3, sampleCount: 480)
        #expect(level.peakDecibels == 0 && abs(level.rmsDecibels + 6.0206) < 0.001)
        let levels = RecordingLevels(channels: [level], totalClippedCount: 3, timestamp: 0.01)
        #expect(levels.channels == [level])
        let state = RecordingState(isRecording: true, isPaused: false, currentDuration: 1.5)
        #expect(state.currentDuration == 1.5)
    }

    @Test("L-01: buffers are of whole frames")
    func buffers() {
        let buffer = AudioBufferData(samples: [0, 1, 2, 3, 4], sampleRate: 16_000, channelCount: 2, timestamp: 1)
        #expect(buffer.frameLength == 2 && buffer.toFloatArray() == [0, 1, 2, 3] && buffer.missedFrameLength == 0)
    }

    @Test("L-01: reports, with their gaps, outputs and failures")
    func reports() throws {
        let failure = ACCAudioRecorderError.Failure(
            .deviceLost, "recording ended early", cause: "it was unplugged", remedy: "Plug it in.")
        let gap = RecordingGap(
            position: 48_000, offset: .seconds(1), framesLost: 480, length: .milliseconds(10),
            cause: .interruption(.deviceLost))
        let output = OutputReport(
            output: try RecordingOutput(path: "take.wav"), sampleRate: 48_000,
            channelMap: .standard(channelCount: 2), frameCount: 96_000, byteCount: 384_044)
        let report = RecordingReport(
            ending: .failed(.captureFailed(failure)), source: Self.source, sampleRate: 48_000, channelCount: 2,
            frameCount: 96_000, framesLost: 480, gaps: [gap],
            levels: [ChannelLevel(peak: 1, rms: 1, clippedCount: 2)], outputs: [output])
        #expect(report.length == .seconds(2) && report.clippedCount == 2)
        #expect(report.failures == [.captureFailed(failure)])
        #expect(output.isBitExact && output.gaps.isEmpty && output.length == .seconds(2))
        let marker = RecordingMarker(number: 1, frame: 480, offset: .milliseconds(10), label: "here")
        #expect(RecordingEvent.marker(marker) != .finished(report))
    }

    @Test("L-01: a subscription of streams that a test feeds")
    func streams() async {
        let (states, state) = AsyncStream.makeStream(of: RecordingState.self)
        state.yield(RecordingState(isRecording: true, isPaused: true, currentDuration: 0))
        state.finish()
        let streams = RecordingStreams(state: states)
        var seen: [RecordingState] = []
        for await state in streams.state { seen.append(state) }
        #expect(seen.map(\.isPaused) == [true])
        for await _ in streams.buffers { Issue.record("a buffer") }
    }

    @Test("A buffer without channels has no frames")
    func noChannels() {
        let buffer = AudioBufferData(samples: [0.5, 0.5], sampleRate: 48_000, channelCount: 0)
        #expect(buffer.frameLength == 0 && buffer.data.isEmpty && buffer.toFloatArray() == [])
    }
}
