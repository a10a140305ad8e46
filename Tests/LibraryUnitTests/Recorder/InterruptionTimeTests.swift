import ACCAudioRecorder
import TestSupport
import Testing

/// L-01: interruptions that last as long as a test's clock says. Sees the public interface only.
@Suite(.timeLimit(.minutes(1)))
struct InterruptionTimeTests {
    /// A recording of one second, after which the source has a fault.
    private struct Recording {
        let clock = SyntheticClock()
        let recorder: ACCAudioRecorder
        private var events: AsyncStream<RecordingEvent>.Iterator

        init(_ fault: SyntheticSource.Fault.Kind, _ policy: InterruptionPolicy = .init()) async throws {
            recorder = ACCAudioRecorder(
                configuration: .init(sampleRate: 48_000, channelCount: 1, bufferSize: 480, interruptions: policy),
                source: try SyntheticSource(
                    sampleRate: 48_000, channelCount: 1, pace: .clock(clock),
                    faults: [.init(fault, atFrame: 48_000)]
                ) { _, _ in 0.5 })
            events = try await recorder.startRecording().events.makeAsyncIterator()
            clock.advance(by: .seconds(1))
        }

        /// The next event that fits, which must come.
        mutating func event<Value>(_ fits: (RecordingEvent) -> Value?) async throws -> Value {
            while let event = await events.next() {
                if let value = fits(event) { return value }
            }
            throw CancellationError()
        }

        mutating func interruption() async throws -> RecordingInterruption {
            try await event { if case .interrupted(let cause) = $0 { cause } else { nil } }
        }

        mutating func report() async throws -> RecordingReport {
            try await event { if case .finished(let report) = $0 { report } else { nil } }
        }
    }

    @Test(
        "I-05, I-07, I-08: a recording waits for a minute of the clock, and not longer",
        arguments: [
            (SyntheticSource.Fault.Kind.removed(nil), RecordingInterruption.deviceLost),
            (.removed(.seconds(61)), .deviceLost), (.serverLost(nil), .serverLost), (.suspended(nil), .suspended),
            (.suspended(.seconds(61)), .suspended),
        ])
    func waitsAMinute(fault: SyntheticSource.Fault.Kind, cause: RecordingInterruption) async throws {
        var recording = try await Recording(fault)
        let (calls, called) = AsyncStream.makeStream(of: Bool.self)
        let recorder = recording.recorder
        await recorder.setOnUnrecoverableInterruption {
            called.yield(await recorder.getCurrentStreams() == nil && !Task.isCancelled)
        }
        #expect(try await recording.interruption() == cause)
        recording.clock.advance(by: .seconds(59))
        #expect(await recorder.isPausedState())
        recording.clock.advance(by: .seconds(1))
        let report = try await recording.report()
        #expect(report.frameCount == 48_000)
        #expect(report.failures.first?.failure?.reason == Self.reason(for: cause))
        // I-10: the recorder is idle in the handler.
        #expect(await calls.first { _ in true } == true)
    }

    private static func reason(for cause: RecordingInterruption) -> ACCAudioRecorderError.Failure.Reason {
        switch cause {
        case .deviceLost: .deviceLost
        case .serverLost: .noServer
        default: .timedOut
        }
    }

    @Test(
        "D-01, I-04: a source that is back in time continues the recording, and what it missed is a gap",
        arguments: [
            SyntheticSource.Fault.Kind.removed(.seconds(5)), .serverLost(.seconds(5)), .suspended(.seconds(5)),
            .call(.seconds(5)),
        ])
    func returns(fault: SyntheticSource.Fault.Kind) async throws {
        var recording = try await Recording(fault, .init(timeout: .seconds(10)))
        let cause = try await recording.interruption()
        recording.clock.advance(by: .seconds(5))
        // The server says that a suspension is over, but the first frame shows it.
        if cause != .suspended {
            _ = try await recording.event { if case .resumed = $0 { true } else { nil } }
        }
        recording.clock.advance(by: .seconds(1))
        let report = try #require(await recording.recorder.finishRecording())
        #expect(report.ending == .finished && report.frameCount == 96_000)
        #expect(report.gaps.map(\.framesLost) == [240_000] && report.gaps.first?.position == 48_000)
    }
}
