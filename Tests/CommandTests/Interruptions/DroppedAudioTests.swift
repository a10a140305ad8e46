import Foundation
import TestSupport
import Testing

/// What is missing before it comes to the recorder, of which nobody tells.
@Suite(.timeLimit(.minutes(4)))
struct DroppedAudioTests {
    private static let missing = 2_400

    /// PipeWire makes up with silence for what it does not find in a FIFO.
    @Test("50 ms that are missing at once are found, in their place")
    func aShortLossIsFound() async throws {
        try await PrivateServer.with(.pulseAudio) { server in
            let counter = { @Sendable first, count in
                Signal.data(Signal.counter(from: UInt32(first + 1), frames: count, channels: 2))
            }
            try await PipeSourceFeeder.with("counter", on: server, generate: counter) { feeder in
                let take = Take(on: server)
                let result = try await AccrecProcess.with(take.record(from: "counter"), on: server) { accrec in
                    // Where the machine is too busy to tell, another loss may be told.
                    for _ in 1...5 where !accrec.standardError.contains("the server dropped them") {
                        try await take.wait(forAnother: 3.5, accrec)
                        feeder.leaveOut(Self.missing)
                        try await take.wait(forAnother: 3.5, accrec)
                    }
                    accrec.signal(SIGINT)
                    return try await accrec.wait()
                }
                #expect(result.end == .exit(0), "\(result.standardError)")
                let numbers = Signal.numbers(inCounter: try PCMFile(wav: take.url).int16, channels: 2)
                let losses = numbers.indices.dropFirst().filter {
                    Int(numbers[$0]) - Int(numbers[$0 - 1]) - 1 == Self.missing
                }
                let line = try #require(result.standardError.firstMatch(of: /LOST .*/), "\(result.standardError)").0
                let gaps = line.matches(of: /(\d+) at (\d+):(\d+\.\d+)/).map {
                    (frames: Int($0.1)!, place: Int((Double($0.2)! * 60 + Double($0.3)!) * 48_000))
                }
                #expect(
                    gaps.contains { gap in
                        abs(gap.frames - Self.missing) <= 480 && losses.contains { abs($0 - gap.place) <= 960 }
                    }, "\(line), and in truth \(losses)")
            }
        }
    }
}
