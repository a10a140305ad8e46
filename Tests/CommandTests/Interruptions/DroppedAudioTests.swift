import Foundation
import TestSupport
import Testing

/// Audio that is lost before it reaches the recorder, without notice.
@Suite(.timeLimit(.minutes(4)))
struct DroppedAudioTests {
    private static let missing = 2_400

    /// Not on PipeWire, which fills gaps in a FIFO with silence. So short a loss is only seen if audio arrives regularly
    /// before it, so the test waits for that.
    @Test("A single loss of 50 ms is detected at its position", .tags(.undisturbed))
    func aShortLossIsFound() async throws {
        try await PrivateServer.with(.pulseAudio) { server in
            let counter = { @Sendable first, count in
                Signal.data(Signal.counter(from: UInt32(first + 1), frames: count, channels: 2))
            }
            try await PipeSourceFeeder.with("counter", on: server, generate: counter) { feeder in
                let recording = TestRecording(on: server)
                let arguments = recording.record(from: "counter")
                let result = try await AccrecProcess.with(arguments, on: server, isUrgent: true) { accrec in
                    try await recording.wait(forAnother: 3.5, accrec)
                    try await eventually("four seconds of regular audio", within: 90) {
                        feeder.framesInTime > 4 * 48_000
                    }
                    feeder.leaveOut(Self.missing)
                    try await accrec.waitForStandardError(containing: "the server dropped audio", within: 30)
                    accrec.signal(SIGINT)
                    return try await accrec.wait()
                }
                #expect(result.end == .exit(0), "\(result.standardError)")
                let numbers = Signal.numbers(inCounter: try PCMFile(wav: recording.url).int16, channels: 2)
                let losses = numbers.indices.dropFirst().filter {
                    Int(numbers[$0]) - Int(numbers[$0 - 1]) - 1 == Self.missing
                }
                let messages = result.standardError
                let gaps = messages.matches(of: /missing at (\d+):(\d+\.\d+): [^(]*\((\d+) frames/).map {
                    (frames: Int($0.3)!, place: Int((Double($0.1)! * 60 + Double($0.2)!) * 48_000))
                }
                #expect(
                    gaps.contains { gap in
                        abs(gap.frames - Self.missing) <= Tolerance.gapOfDroppedAudio
                            && losses.contains { abs($0 - gap.place) <= Tolerance.place }
                    }, "\(messages), and in truth \(losses)")
            }
        }
    }
}
