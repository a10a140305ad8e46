import ACCAudioRecorder
import Foundation
import TestSupport
import Testing

/// When frames were captured, as servers say: with what they still hold, or have not delivered yet.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct CaptureTimeTests {
    /// By how many nanoseconds the latency that a server states may be off.
    private static let statedError: UInt64 = 50_000_000

    @Test(
        "R-04, R-10: finishing keeps every frame captured until then, and none after; host times agree with the clock",
        arguments: ServerKind.allCases)
    func finishKeepsTheTail(kind: ServerKind) async throws {
        try await RecorderFixture.withCounter(kind) { server in
            let configuration = RecorderFixture.configuration(server, rate: 44_100, channels: 1, bufferSize: 4_096)
            let recorder = ACCAudioRecorder(configuration: configuration)
            // The server delivers blocks of up to 100 ms, and finishing may happen anywhere in one.
            for _ in 0..<8 {
                let streams = try await recorder.startRecording()
                async let buffers = RecorderFixture.all(streams.buffers)
                try await RecorderFixture.wait(for: 0.2, of: recorder)
                let before = Monotonic.now()
                await recorder.finishRecording()
                let after = Monotonic.now()
                let all = await buffers
                #expect(zip(all, all.dropFirst()).allSatisfy { $0.hostTime <= $1.hostTime })
                let last = try #require(all.last)
                let end = last.hostTime + UInt64(last.frameLength) * 1_000_000_000 / 44_100
                #expect(last.hostTime <= after + Self.statedError)
                #expect(end + Self.statedError >= before)
            }
        }
    }

    @Test("R-07, R-11: nothing that the server held from a pause is recorded", arguments: ServerKind.allCases)
    func pausesWithoutStaleAudio(kind: ServerKind) async throws {
        try await RecorderFixture.withCounter(kind) { server in
            let recorder = ACCAudioRecorder(configuration: RecorderFixture.configuration(server))
            let streams = try await recorder.startRecording()
            async let buffers = RecorderFixture.all(streams.buffers)
            try await RecorderFixture.wait(for: 0.5, of: recorder)
            await recorder.pauseRecording()
            let paused = try #require(await recorder.currentDuration())
            let duringPause = try await Self.monitor(of: server)
            let resumed = Monotonic.now()
            try await recorder.resumeRecording()
            try await RecorderFixture.wait(for: paused + 0.5, of: recorder)
            await recorder.finishRecording()

            let after = await buffers.filter { $0.timestamp >= paused }
            #expect(try #require(after.first).hostTime + Self.statedError >= resumed)
            // What was recorded tells exactly when. PipeWire begins a stream with silence.
            let first = after.lazy.flatMap(RecorderFixture.numbers).first { $0 != 0 }
            #expect(try #require(first) > #require(duringPause.last))
        }
    }

    /// What another program hears of the counter in a tenth of a second.
    private static func monitor(of server: PrivateServer) async throws -> [Int] {
        let parec = "parec --raw --device=room.monitor --latency-msec=20 \(PCMFormat().options.joined(separator: " "))"
        let heard = try await ChildProcess.run(
            ["sh", "-c", "\(parec) | head -c \(4_800 * 4)"], environment: server.environment)
        return Signal.numbers(inCounter: Signal.int16(heard.standardOutput), channels: 2).map(Int.init)
    }

    @Test(
        "The stream of a prepared recording is open before its start, and delivers nothing from before",
        arguments: ServerKind.allCases)
    func preparedRecordingsBeginAtTheStart(kind: ServerKind) async throws {
        try await RecorderFixture.withCounter(kind) { server in
            let recorder = ACCAudioRecorder(configuration: RecorderFixture.configuration(server))
            try await recorder.prepareRecording()
            #expect(try await server.pactl("list", "short", "source-outputs").split(separator: "\n").count == 1)
            // Longer than what a server delivers at once.
            _ = try await Self.monitor(of: server)
            let started = Monotonic.now()
            let streams = try await recorder.startRecording()
            async let buffers = RecorderFixture.all(streams.buffers)
            try await RecorderFixture.wait(for: 0.2, of: recorder)
            await recorder.finishRecording()
            #expect(try #require(await buffers.first).hostTime + Self.statedError >= started)

            try await recorder.prepareRecording()
            await recorder.discardRecording()
            try await eventually("the source let go of") {
                try await server.pactl("list", "short", "source-outputs").isEmpty
            }
        }
    }
}
