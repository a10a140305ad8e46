import Foundation
import TestSupport
import Testing

/// Faults of all kinds, one after another, at random moments.
///
/// `ACCREC_FAULTS` asks for more of them, `ACCREC_SEED` for others.
@Suite(.serialized, .timeLimit(.minutes(15)))
struct RandomFaultTests {
    private static let variables = ProcessInfo.processInfo.environment
    /// The counter begins at the next multiple of this, and 1, when the server has been started again.
    private static let lifeLength = 1 << 22

    @Test("Random faults in a row: no foreign frame, every frame accounted for", arguments: ServerKind.allCases)
    func randomFaultsAreSurvived(kind: ServerKind) async throws {
        let count = Self.variables["ACCREC_FAULTS"].flatMap { Int($0) } ?? 10
        let seed = Self.variables["ACCREC_SEED"].flatMap { UInt64($0) } ?? 1
        let lives = RandomFault.lives(with: count, seed: seed)
        try await Rooms.with(kind) { server, microphone in
            let take = Take(on: server)
            let result = try await AccrecProcess.with(take.record(with: ["--fill-gaps"]), on: server) { accrec in
                try await Self.endure(lives[0], on: server, microphone, take, accrec)
                for (number, faults) in lives.enumerated().dropFirst() {
                    try await Rooms.with(server, from: UInt32(number * Self.lifeLength + 1)) { microphone in
                        try await Self.endure(faults, on: server, microphone, take, accrec)
                    }
                }
                accrec.signal(SIGINT)
                return try await accrec.wait()
            }
            let story = "seed \(seed), \(lives): \(result.standardError)"
            #expect(result.end == .exit(0), "\(story)")
            let numbers = Self.mended(Signal.numbers(inCounter: try PCMFile(wav: take.url).int16, channels: 2))
            Self.expectNothingForeign(numbers, story)
            try Self.expectReportedSilence(numbers, result.standardError)
            Self.expectTrueToTime(numbers, kind, story)
        }
    }

    /// Lets faults happen to a take, and the take go on for a while after the last one.
    private static func endure(
        _ faults: [RandomFault], on server: PrivateServer, _ microphone: Int, _ take: Take, _ accrec: ChildProcess
    ) async throws {
        try await server.setDefaultSource("hall.monitor")
        var microphone = microphone
        for fault in faults {
            try await take.wait(forAnother: fault.delay, accrec)
            try await fault.happen(to: server, microphone: &microphone, accrec)
        }
        if faults.last?.kind != .restart { try await take.wait(forAnother: 1, accrec) }
    }

    /// The numbers, with those completed of which a channel is missing: PipeWire links channels one by one, so that one
    /// of them may be silent for a cycle.
    private static func mended(_ numbers: [UInt32]) -> [UInt32] {
        var mended = numbers
        for index in mended.indices.dropFirst() where mended[index] != 0 && mended[index - 1] != 0 {
            let next = mended[index - 1] &+ 1
            if [next & 0xffff, next & 0xffff_0000].contains(mended[index]) { mended[index] = next }
        }
        return mended
    }

    /// All is silence, or of the counters that were played, in their order.
    private static func expectNothingForeign(_ numbers: [UInt32], _ story: String) {
        let sounds = numbers.filter { $0 != 0 }
        #expect(sounds.allSatisfy { Int($0) % lifeLength <= Rooms.counterLength }, "\(story)")
        let lives = sounds.map { Int($0) / lifeLength }
        #expect(zip(lives, lives.dropFirst()).allSatisfy { $0 <= $1 }, "\(story)")
    }

    /// Silence stands for what was said to be missing, and for nothing else.
    private static func expectReportedSilence(_ numbers: [UInt32], _ messages: String) throws {
        let gaps = messages.matches(of: /([0-9]+) frames of the source are missing/).compactMap { Int($0.1) }
        let missing = try #require(messages.firstMatch(of: /LOST +([0-9]+) frames/)?.1)
        let written = try #require(messages.firstMatch(of: /written .* ([0-9]+) frames/)?.1)
        #expect(gaps.reduce(0, +) == Int(missing), "\(messages)")
        #expect(numbers.count == Int(written), "\(messages)")
        // PipeWire's remap source may begin with a cycle of silence of its own.
        let silence = numbers.count { $0 == 0 }
        #expect(
            (0...1_024 * (gaps.count + 1)).contains(silence - gaps.reduce(0, +)),
            "\(silence) frames of silence: \(messages)")
    }

    /// Between two faults the take is as far as the counter.
    private static func expectTrueToTime(_ numbers: [UInt32], _ kind: ServerKind, _ story: String) {
        // What a fragment begins before a fault, and ends after it, may stand on the wrong side of the silence.
        let runs = CounterRun.all(in: numbers).filter { $0.range.count > 2 * 1_920 }
        var offsets: [Int] = []
        for (run, next) in zip(runs, runs.dropFirst()) where Int(run.first) / lifeLength == Int(next.first) / lifeLength
        {
            let isFilled = numbers[run.range.upperBound..<next.range.lowerBound].contains(0)
            let offset = next.lead - run.lead
            offsets.append(offset)
            // What is shorter than 60 ms, and as much as the server's timing wanders, cannot be told from a hold-up.
            #expect(
                ((isFilled ? -2_400 : 1)...4_800).contains(offset),
                "\(offset) at \(next.range.lowerBound): \(story)")
        }
        print(
            "\(kind.rawValue): \(numbers.count) frames, \(offsets.count) places, off by \(offsets.min() ?? 0)...\(offsets.max() ?? 0) frames"
        )
    }
}
