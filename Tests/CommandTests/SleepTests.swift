import Foundation
import TestSupport
import Testing

/// The machine sleeps during a recording. `Tests/Preload/clock.c` simulates that by moving the clock that the program
/// checks.
@Suite(.timeLimit(.minutes(2)))
struct SleepTests {
    private static let sleepSeconds: Int32 = 7
    private static let sleepFrames = Int(sleepSeconds) * 48_000

    @Test("I-12: the recording continues after the machine slept", arguments: ServerKind.allCases)
    func aSleepIsAGap(kind: ServerKind) async throws {
        try await PrivateServer.withRoom(kind, playing: .counter) { server in
            let clock = try await ShiftedClock(in: server.directory)
            let variables = clock.variables
            let (closedUp, filled) = (
                TestRecording(on: server, "closed-up.raw"), TestRecording(on: server, "filled.raw")
            )
            let frames = { Int((closedUp.seconds * 48_000).rounded()) }
            var place = 0...0
            var filledResult: ProcessResult?
            let result = try await server.record(closedUp, environment: variables) { accrec in
                filledResult = try await server.record(filled, with: ["--fill-gaps"], environment: variables) { other in
                    for recording in [closedUp, filled] { try await recording.wait(for: 1, other) }
                    let before = frames()
                    try clock.shift(by: Self.sleepSeconds)
                    for process in [accrec, other] {
                        try await process.waitForStandardError(containing: ": the machine slept (")
                    }
                    // A file is written four times a second, so more may have been captured than it contains.
                    place = before...frames() + 24_000
                    try await closedUp.wait(forAnother: 1, accrec)
                    try await filled.wait(for: Double(place.upperBound) / 48_000 + 1 + Double(Self.sleepSeconds), other)
                    for process in [accrec, other] { process.signal(SIGINT) }
                }
            }
            try Self.expectGap(in: closedUp, result, kind, isFilled: false, place)
            try Self.expectGap(in: filled, try #require(filledResult), kind, isFilled: true)
        }
    }

    /// Expects a counter without missing numbers, and one report of the sleep.
    ///
    /// - Parameters:
    ///   - isFilled: Whether the file contains silence of the reported length.
    ///   - place: The expected position of the gap, in frames.
    private static func expectGap(
        in recording: TestRecording, _ result: ProcessResult, _ kind: ServerKind, isFilled: Bool,
        _ place: ClosedRange<Int>? = nil
    ) throws {
        let notice = /missing at [^(]*: the machine slept \((\d+) frames/
        let report = /\((\d+) frames\): at (\d+):(\d+\.\d+) \(the machine slept/
        let notices = result.standardError.matches(of: notice)
        let reported = try #require(result.standardError.firstMatch(of: report), "\(result.standardError)")
        #expect(notices.count == 1)
        #expect(notices.first?.1 == reported.1)
        let missing = try #require(Int(reported.1))
        #expect(abs(missing - sleepFrames) < Tolerance.gap)
        // The reported time is truncated to milliseconds.
        let position = Int((try #require(Double(reported.3)) * 48_000).rounded())
        if let place { #expect(position...position + 47 ~= place.lowerBound || place.contains(position)) }

        let numbers = Signal.numbers(inCounter: Signal.int16(try Data(contentsOf: recording.url)), channels: 2)
        let sounds = numbers.indices.filter { numbers[$0] != 0 }
        let isOfServer = { (missing: Int) in kind == .pipeWire && abs(missing) < Tolerance.skippedCycles }
        let breaks = zip(sounds, sounds.dropFirst()).filter { last, next in
            let missing = Int(numbers[next]) - Int(numbers[last]) - (next - last)
            return missing != 0 && !isOfServer(missing)
        }
        guard isFilled else { return #expect(breaks.isEmpty, "\(breaks)") }
        let (last, next) = try #require(breaks.first)
        #expect(breaks.count == 1, "\(breaks)")
        #expect(numbers[next] == numbers[last] + 1)
        #expect(next - last - 1 == missing)
        #expect((0...48).contains(last + 1 - position))
    }
}
