import Testing

@testable import ACCAudioRecorder

@Suite struct PlaybackCaptureTests {
    private static let mono = SampleSpec(format: .s16LE, sampleRate: 48_000, channelCount: 1)
    private static let second: UInt64 = 1_000_000_000

    /// The first item of a stream that was announced after a second.
    ///
    /// - Parameters:
    ///   - hostTime: When its first frame was rendered.
    ///   - lead: How far its sink had rendered ahead, in seconds.
    private func firstItem(at hostTime: UInt64, lead: Double, start: CaptureStart = .atOnce) throws -> CaptureItem {
        let playback = ApplicationStream(
            index: 1, owner: StreamOwner(name: "player", binary: nil, processID: nil), title: "", sinkIndex: 0,
            isPaused: false, isMuted: false, volume: nil, sampleSpec: Self.mono, resampleMethod: nil)
        let capture = try PlaybackCapture(
            playback, as: Self.mono, PlaybackGroup(consumer: ThreadWaker(), hasSounded: false), fragmentFrames: 480,
            start: start)
        capture.noteBeginning(at: hostTime, announcedAt: Self.second, lead: lead)
        let samples = [Int16](repeating: 1, count: 480)
        _ = samples.withUnsafeBytes { capture.capture($0, FragmentStamp(hostTime: hostTime)) { nil } }
        return capture.ring.item(0)
    }

    @Test("What a sink has rendered before its stream could be captured is missing before the first frame")
    func rendered() throws {
        #expect(try firstItem(at: 3 * Self.second, lead: 1.9) == .partMissing(frames: 91_200, end: 0))
        #expect(try firstItem(at: 2 * Self.second, lead: 1.9) == .partMissing(frames: 48_000, end: 0))
        let start = CaptureStart.after(hostTime: 2 * Self.second)
        #expect(try firstItem(at: 3 * Self.second, lead: 1.9, start: start) == .partMissing(frames: 48_000, end: 0))
    }

    @Test("A sink that renders as soon as it is heard loses nothing, and one that renders again what was not heard")
    func notRendered() throws {
        #expect(try firstItem(at: 3 * Self.second, lead: 0.05).stamp != nil)
        #expect(try firstItem(at: Self.second + 50_000_000, lead: 1.9).stamp != nil)
    }
}
