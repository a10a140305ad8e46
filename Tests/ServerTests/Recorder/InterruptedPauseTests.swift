import ACCAudioRecorder
import Foundation
import TestSupport
import Testing

/// The user pauses a recording while it is interrupted.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct InterruptedPauseTests {
    @Test(
        "I-11: a recording that the user paused is resumed only by the user, not when the device returns",
        arguments: ServerKind.allCases)
    func aPauseOutlastsAnInterruption(kind: ServerKind) async throws {
        try await RecorderFixture.withCounter(kind) { server in
            let microphone = try await server.makeMicrophone("near", hearing: "room")
            let recorder = ACCAudioRecorder(configuration: RecorderFixture.configuration(server, source: "near"))
            let streams = try await recorder.startRecording()
            async let events = RecorderFixture.all(streams.events)
            try await RecorderFixture.wait(for: 1, of: recorder)

            try await server.unloadModule(microphone)
            try await eventually("the interruption") {
                await recorder.getCurrentStreams()?.state.first { _ in true }?.isPaused == true
            }
            await recorder.pauseRecording()
            let duration = try #require(await recorder.currentDuration())
            try await server.makeMicrophone("near", hearing: "room")
            let back = ContinuousClock.now
            try await eventually("a second with the device") { ContinuousClock.now - back > .seconds(1) }
            #expect(await recorder.isPausedState())
            #expect(await recorder.currentDuration() == duration)

            try await recorder.resumeRecording()
            try await RecorderFixture.wait(for: duration + 0.5, of: recorder)
            let report = try #require(await recorder.finishRecording())
            // The user's pause is not a gap.
            #expect(report.gaps.isEmpty)
            let seen = await events
            let paused = try #require(seen.firstIndex { if case .paused = $0 { true } else { false } })
            #expect(seen[..<paused].contains(.interrupted(.deviceLost)))
            let resumed = seen.indices.filter { if case .resumed = seen[$0] { true } else { false } }
            #expect(resumed.count == 1 && resumed.allSatisfy { $0 > paused })
        }
    }
}
