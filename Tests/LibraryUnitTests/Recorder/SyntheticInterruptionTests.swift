import ACCAudioRecorder
import Foundation
import TestSupport
import Testing

/// L-01: interruptions as a program's own tests script them. Sees the public interface only.
@Suite(.timeLimit(.minutes(1)))
struct SyntheticInterruptionTests {
    /// Records five seconds at 48 kHz with these faults to the end; returns the events.
    private static func record(
        _ faults: [SyntheticSource.Fault], _ policy: InterruptionPolicy = .init(), to outputs: [RecordingOutput] = [],
        brokeOff: @escaping @Sendable () async -> Void = {}
    ) async throws -> [RecordingEvent] {
        let source = try SyntheticSource(
            sampleRate: 48_000, channelCount: 1, frameCount: 240_000, faults: faults
        ) { frame, _ in Float(frame) * 0x1p-24 }
        let recorder = ACCAudioRecorder(
            configuration: .init(sampleRate: 48_000, channelCount: 1, interruptions: policy), source: source)
        await recorder.setOnUnrecoverableInterruption(brokeOff)
        let streams = try await recorder.startRecording(to: outputs)
        let finishing = Task {
            for await buffer in streams.buffers where buffer.timestamp > 4 { break }
            await recorder.finishRecording()
        }
        var events: [RecordingEvent] = []
        for await event in streams.events { events.append(event) }
        await finishing.value
        return events
    }

    private static func causes(_ events: [RecordingEvent]) -> [RecordingInterruption] {
        events.compactMap { if case .interrupted(let cause) = $0 { cause } else { nil } }
    }

    private static func report(_ events: [RecordingEvent]) throws -> RecordingReport {
        guard case .finished(let report) = events.last else { throw CancellationError() }
        return report
    }

    @Test("I-01: a call pauses, and its length is a gap")
    func aCallPauses() async throws {
        let events = try await Self.record([.init(.call(.seconds(0.5)), atFrame: 96_000)], .init(onCall: .pause))
        #expect(Self.causes(events) == [.call])
        let report = try Self.report(events)
        #expect(report.ending == .finished && report.frameCount == 216_000)
        #expect(report.gaps.map(\.cause) == [.interruption(.call)] && report.gaps.first?.position == 96_000)
        #expect(report.framesLost == 24_000)
    }

    @Test("A gap that is longer than an output may be behind is filled to the frame")
    func aLongGapIsFilled() async throws {
        try await TemporaryDirectory.with { directory in
            let (rate, length) = (8_000, 600 * 8_000)
            let source = try SyntheticSource(
                sampleRate: Double(rate), channelCount: 1, frameCount: length + 2 * rate,
                faults: [.init(.dropped(frames: length), atFrame: rate)]
            ) { _, _ in 0.5 }
            let recorder = ACCAudioRecorder(
                configuration: .init(
                    sampleRate: Double(rate), channelCount: 1, interruptions: .init(fillsGaps: true)), source: source)
            let output = try RecordingOutput(path: directory.appending(path: "take.opus").path)
            let events = try await recorder.startRecording(to: [output]).events
            let report = try #require(await recorder.finishRecording())
            for await case .outputGap(_, let gap) in events { Issue.record("\(gap)") }
            #expect(report.frameCount == length + 2 * rate)
            #expect(report.outputs.map(\.frameCount) == [report.frameCount])
        }
    }

    @Test("I-01: a call just after the start interrupts as well")
    func anEarlyCall() async throws {
        let events = try await Self.record([.init(.call(.seconds(0.5)), atFrame: 480)], .init(onCall: .pause))
        #expect(Self.causes(events) == [.call])
        #expect(try Self.report(events).frameCount == 216_000)
    }

    @Test("I-01: a call that is ignored changes nothing")
    func ignoredCalls() async throws {
        let events = try await Self.record([.init(.call(.seconds(0.5)), atFrame: 96_000)], .init(onCall: .ignore))
        let report = try Self.report(events)
        #expect(Self.causes(events).isEmpty && report.gaps.isEmpty && report.frameCount == 240_000)
    }

    @Test(
        "I-02, I-03: a call ends the recording, which is kept or discarded, and the callback comes",
        arguments: [InterruptionPolicy.CallBehavior.stop, .discard])
    func aCallEnds(behavior: InterruptionPolicy.CallBehavior) async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.appending(path: "take.wav").path
            let (calls, continuation) = AsyncStream<Void>.makeStream()
            let events = try await Self.record(
                [.init(.call(.seconds(0.5)), atFrame: 96_000)], .init(onCall: behavior),
                to: [RecordingOutput(path: path)]
            ) { continuation.yield() }
            // The callback may come after the last event.
            var iterator = calls.makeAsyncIterator()
            #expect(await iterator.next() != nil)
            #expect(Self.causes(events) == [.call])
            let report = try Self.report(events)
            guard case .failed(.captureFailed(let failure)) = report.ending else {
                Issue.record("\(report.ending)")
                return
            }
            #expect(failure.reason == .call)
            #expect(report.frameCount == 96_000)
            #expect(FileManager.default.fileExists(atPath: path) == (behavior == .stop))
        }
    }

    @Test("D-04: a recording stays on its source when the default changes")
    func staysOnItsSource() async throws {
        let events = try await Self.record([.init(.defaultChanged, atFrame: 96_000)])
        #expect(Self.causes(events).isEmpty)
        #expect(try Self.report(events).source.name == "synthetic")
    }

    @Test("D-04: a recording that follows the default continues with the new one, without a gap")
    func followsTheDefault() async throws {
        let events = try await Self.record([.init(.defaultChanged, atFrame: 96_000)], .init(followsDefault: true))
        #expect(Self.causes(events) == [.defaultChanged])
        let report = try Self.report(events)
        #expect(report.source.name == "synthetic-2" && report.frameCount == 240_000 && report.gaps.isEmpty)
    }

    @Test("I-07: a device that never returns ends the recording by its policy")
    func deviceGoneForGood() async throws {
        for policy in [InterruptionPolicy(onDisconnect: .stop), .init(timeout: .seconds(0.3))] {
            let events = try await Self.record([.init(.removed(nil), atFrame: 96_000)], policy)
            #expect(Self.causes(events) == [.deviceLost])
            let report = try Self.report(events)
            #expect(report.failures.first?.failure?.reason == .deviceLost && report.frameCount == 96_000)
        }
    }

    @Test("I-08: a server that never returns ends the recording when the time is over")
    func serverGoneForGood() async throws {
        let events = try await Self.record([.init(.serverLost(nil), atFrame: 96_000)], .init(timeout: .seconds(0.3)))
        #expect(Self.causes(events) == [.serverLost])
        let report = try Self.report(events)
        #expect(report.failures.first?.failure?.reason == .noServer && report.frameCount == 96_000)
    }

    @Test("R-01: isPausedState and the state agree, in a pause and in an interruption")
    func pausedStates() async throws {
        let source = try SyntheticSource(
            sampleRate: 48_000, channelCount: 1, faults: [.init(.removed(nil), atFrame: 96_000)]
        ) { _, _ in 0 }
        let recorder = ACCAudioRecorder(configuration: .init(sampleRate: 48_000, channelCount: 1), source: source)
        #expect(await !recorder.isPausedState())
        let streams = try await recorder.startRecording()
        for await event in streams.events { if case .interrupted = event { break } }
        try await eventually("the state") {
            await recorder.getCurrentStreams()?.state.first { _ in true }?.isPaused == true
        }
        #expect(await recorder.isPausedState())
        await recorder.pauseRecording()
        #expect(await recorder.isPausedState())
        await recorder.finishRecording()
        #expect(await !recorder.isPausedState())
    }

    @Test("D-08: a scripted removal is told as the loss and the return of a device")
    func removal() async throws {
        let events = try await Self.record([.init(.removed(.seconds(0.5)), atFrame: 96_000)])
        let source = try Self.report(events).source
        let told = events.filter {
            switch $0 {
            case .deviceLost, .interrupted, .deviceReturned, .resumed: true
            default: false
            }
        }
        #expect(told == [.deviceLost(source), .interrupted(.deviceLost), .deviceReturned(source), .resumed(source)])
    }
}
