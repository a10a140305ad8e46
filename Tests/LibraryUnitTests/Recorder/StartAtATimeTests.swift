import Foundation
import TestSupport
import Testing

@testable import ACCAudioRecorder

/// Recordings that begin with the frame captured at a time, by a clock that the test moves.
@Suite(.timeLimit(.minutes(1)))
struct StartAtATimeTests {
    /// The time since the clock began, in nanoseconds: between two frames, of which the second one has the number 59,260.
    private static let time: UInt64 = 1_234_567_890
    private static let firstFrame = 59_260

    /// The numbers of the first and of the last frame of a recording, and how many there are.
    private static func frames(_ audio: Subscription<RecordedAudio>) async -> [Int] {
        let buffers = await audio.ofOneRecording.buffers
        let numbers = buffers.flatMap { $0.toFloatArray(channel: 1) ?? [] }.map { Int($0 * 0x1p24) }
        return [numbers.first ?? -1, numbers.last ?? -1, numbers.count]
    }

    private static func advance(_ server: MemoryServer, toMilliseconds end: Int) async throws {
        let missing = .milliseconds(end) - server.clock.now.elapsed
        for _ in 0..<10 { try await server.advance(by: missing / 10) }
    }

    @Test("A recording has every frame from its time on, and none before", arguments: [false, true])
    func beginsExactly(isPaused: Bool) async throws {
        let server = MemoryServer("near")
        let (begin, recorder) = (server.now(), server.recorder(of: "near"))
        let audio = try recorder.buffers(policy: .waiting)
        _ = try await recorder.start(to: [], from: begin + Self.time)
        if isPaused {
            try await Self.advance(server, toMilliseconds: 400)
            await recorder.pauseRecording()
            try await Self.advance(server, toMilliseconds: 800)
            try await recorder.resumeRecording()
        }
        try await Self.advance(server, toMilliseconds: 2_000)
        let report = try #require(await recorder.finishRecording())
        let frames = await Self.frames(audio)
        #expect(frames == [Self.firstFrame, 95_999, 96_000 - Self.firstFrame])
        #expect(report.gaps.isEmpty && report.framesLost == 0)
        let captured = try #require(report.hostTime(ofFrame: 0))
        #expect(captured >= begin + Self.time && captured < begin + Self.time + 1_000_000)
    }

    @Test("A time that has passed is that of a frame which was kept")
    func beginsEarlier() async throws {
        let server = MemoryServer("near")
        let (begin, recorder) = (server.now(), server.recorder(of: "near"))
        try await recorder.prepareRecording(keeping: .seconds(2))
        try await Self.advance(server, toMilliseconds: 1_500)
        let audio = try recorder.buffers(policy: .waiting)
        _ = try await recorder.start(to: [], from: begin + Self.time)
        try await Self.advance(server, toMilliseconds: 2_000)
        await recorder.finishRecording()
        let frames = await Self.frames(audio)
        #expect(frames == [Self.firstFrame, 95_999, 96_000 - Self.firstFrame])
    }

    @Test("What is learned of the times until then is in the time of the first frame once")
    func learnsBefore() async throws {
        let server = MemoryServer("near")
        let (begin, recorder) = (server.now(), server.recorder(of: "near"))
        server.statedDelay.withLock { $0 = .milliseconds(40) }
        let time: UInt64 = 2_900_000_000
        _ = try await recorder.start(to: [], from: begin + time)
        try await Self.advance(server, toMilliseconds: 1_000)
        server.statedDelay.withLock { $0 = .zero }
        try await Self.advance(server, toMilliseconds: 6_000)
        let report = try #require(await recorder.finishRecording())
        let date = try #require(report.startDate)
        #expect(abs(date.timeIntervalSince(Date(hostTime: begin + time))) < 0.005)
        #expect(report.frameCount == 6 * 48_000 - 29 * 4_800)
    }

    @Test("A recording that is finished before its time is none, and no failure")
    func finishedEarlier() async throws {
        let server = MemoryServer("near")
        let recorder = server.recorder(of: "near")
        _ = try await recorder.start(to: [], from: server.now() + Self.time)
        try await Self.advance(server, toMilliseconds: 1_000)
        let report = try #require(await recorder.finishRecording())
        #expect(report.ending == .finished && report.frameCount == 0 && report.gaps.isEmpty)
    }

    @Test("Host times are instants and dates, and back")
    func conversions() {
        let now = MonotonicClock.now()
        for distance in [-3_600_000_000_000, 0, 3_600_000_000_000] as [Int64] {
            let time = UInt64(max(Int64(now) + distance, 1_000_000))
            let instant = SuspendingClock.Instant(hostTime: time)
            #expect(abs(Int64(instant.hostTime) - Int64(time)) < 1_000_000)
            #expect(abs(Int64(Date(hostTime: time).hostTime) - Int64(time)) < 1_000_000)
            let ahead = SuspendingClock.now.duration(to: instant) / .seconds(1)
            #expect(abs(ahead - Double(Int64(time) - Int64(MonotonicClock.now())) * 1e-9) < 0.1)
        }
        #expect(SuspendingClock.now.advanced(by: .seconds(-1e9)).hostTime == 0)
        #expect(Date(timeIntervalSince1970: 0).hostTime == 0)
    }
}
