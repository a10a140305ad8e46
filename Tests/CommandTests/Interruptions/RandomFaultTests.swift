import Foundation
import TestSupport
import Testing

/// Faults of all kinds, one after another, at random times.
///
/// `ACCREC_FAULTS` sets their number, `ACCREC_SEED` the random seed.
@Suite(.serialized, .timeLimit(.minutes(15)))
struct RandomFaultTests {
    private static let variables = ProcessInfo.processInfo.environment
    /// After a server restart the counter begins at the next multiple of this, plus 1.
    private static let lifeLength = 1 << 22

    @Test("Random faults in a row: no foreign frame, every frame accounted for", arguments: ServerKind.allCases)
    func randomFaultsAreSurvived(kind: ServerKind) async throws {
        let count = Self.variables["ACCREC_FAULTS"].flatMap { Int($0) } ?? 10
        let seed = Self.variables["ACCREC_SEED"].flatMap { UInt64($0) } ?? 1
        let lives = RandomFault.lives(with: count, seed: seed)
        try await Rooms.with(kind) { server, microphone in
            let recording = TestRecording(on: server)
            let result = try await AccrecProcess.with(recording.record(with: ["--fill-gaps"]), on: server) { accrec in
                try await Self.endure(lives[0], on: server, microphone, recording, accrec)
                for (number, faults) in lives.enumerated().dropFirst() {
                    try await Rooms.with(server, from: UInt32(number * Self.lifeLength + 1)) { microphone in
                        try await Self.endure(faults, on: server, microphone, recording, accrec)
                    }
                }
                accrec.signal(SIGINT)
                return try await accrec.wait()
            }
            let story = "seed \(seed), \(lives): \(result.standardError)"
            #expect(result.end == .exit(0), "\(story)")
            let numbers = Self.repaired(Signal.numbers(inCounter: try PCMFile(wav: recording.url).int16, channels: 2))
            Self.expectNothingForeign(numbers, story)
            try Self.expectReportedSilence(numbers, result.standardError)
            Self.expectTrueToTime(numbers, kind, story)
        }
    }

    /// Causes faults during a recording, which continues for a while after the last one.
    private static func endure(
        _ faults: [RandomFault], on server: PrivateServer, _ microphone: Int, _ recording: TestRecording,
        _ accrec: ChildProcess
    ) async throws {
        try await server.setDefaultSource("hall.monitor")
        var microphone = microphone
        for fault in faults {
            try await recording.wait(forAnother: fault.delay, accrec)
            try await fault.happen(to: server, microphone: &microphone, accrec)
        }
        if faults.last?.kind != .restart { try await recording.wait(forAnother: 1, accrec) }
    }

    /// The numbers, with single missing channels restored: PipeWire links channels one by one, so that one of them may
    /// be silent for a cycle.
    private static func repaired(_ numbers: [UInt32]) -> [UInt32] {
        var repaired = numbers
        for index in repaired.indices.dropFirst() where repaired[index] != 0 && repaired[index - 1] != 0 {
            let next = repaired[index - 1] &+ 1
            if [next & 0xffff, next & 0xffff_0000].contains(repaired[index]) { repaired[index] = next }
        }
        return repaired
    }

    /// Expects only silence and the played counters, in order.
    private static func expectNothingForeign(_ numbers: [UInt32], _ story: String) {
        let sounds = numbers.filter { $0 != 0 }
        #expect(sounds.allSatisfy { Int($0) % lifeLength <= Rooms.counterLength }, "\(story)")
        let lives = sounds.map { Int($0) / lifeLength }
        #expect(zip(lives, lives.dropFirst()).allSatisfy { $0 <= $1 }, "\(story)")
    }

    /// Expects silence for reported gaps, and nowhere else.
    private static func expectReportedSilence(_ numbers: [UInt32], _ messages: String) throws {
        let gaps = messages.matches(of: /missing at [^(]*\(([0-9]+) frames/).compactMap { Int($0.1) }
        let missing = try #require(messages.firstMatch(of: /LOST [^(]*\(([0-9]+) frames\)/)?.1)
        let written = try #require(messages.firstMatch(of: /written .* ([0-9]+) frames/)?.1)
        #expect(gaps.reduce(0, +) == Int(missing), "\(messages)")
        #expect(numbers.count == Int(written), "\(messages)")
        let silence = numbers.count { $0 == 0 }
        #expect(
            (0...Tolerance.linking * (gaps.count + 1)).contains(silence - gaps.reduce(0, +)),
            "\(silence) frames of silence: \(messages)")
    }

    /// Expects the recording to advance as far as the counter between two faults.
    private static func expectTrueToTime(_ numbers: [UInt32], _ kind: ServerKind, _ story: String) {
        // The ends of a fragment around a fault may be on the wrong side of the silence, so skip short runs.
        let runs = CounterRun.all(in: numbers).filter { $0.range.count > 2 * 1_920 }
        var offsets: [Int] = []
        for (run, next) in zip(runs, runs.dropFirst()) where Int(run.first) / lifeLength == Int(next.first) / lifeLength
        {
            // On a busy machine the first fragment after a gap comes late, so that the gap seems longer.
            let isFilled = numbers[run.range.upperBound..<next.range.lowerBound].contains(0)
            let offset = next.lead - run.lead
            offsets.append(offset)
            #expect(
                ((isFilled ? -Tolerance.unreportedLoss : 1)...Tolerance.unreportedLoss).contains(offset),
                "\(offset) at \(next.range.lowerBound): \(story)")
        }
        print(
            "\(kind.rawValue): \(numbers.count) frames, \(offsets.count) places, off by \(offsets.min() ?? 0)...\(offsets.max() ?? 0) frames"
        )
    }
}
