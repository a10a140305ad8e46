import Foundation
import TestSupport
import Testing

/// The machine sleeps during a take. `Tests/Preload/clocks.c` simulates that by moving the clock that the program
/// checks.
@Suite(.timeLimit(.minutes(2)))
struct SleepTests {
    private static let sleepSeconds: Int32 = 7
    private static let sleepFrames = Int(sleepSeconds) * 48_000

    @Test("I-12: the take continues after the machine slept", arguments: ServerKind.allCases)
    func aSleepIsAGap(kind: ServerKind) async throws {
        try await PrivateServer.with(kind) { server in
            try await server.loadNullSink("room")
            let clocks = try await ShiftedClocks(in: server.directory)
            let counter = Signal.data(Signal.counter(from: 1, frames: 60 * 48_000, channels: 2))
            let (closedUp, filled) = (Self.take(server, "closed-up"), Self.take(server, "filled"))
            try await Player.with(counter, into: "room", on: server) { _ in
                try await Self.record(to: closedUp, [], on: server, clocks) { accrec in
                    try await Self.record(to: filled, ["--fill-gaps"], on: server, clocks) { other in
                        try await eventually("a second of each take", within: 20) {
                            Self.frames(in: closedUp) > 48_000 && Self.frames(in: filled) > 48_000
                        }
                        let before = Self.frames(in: closedUp)
                        try clocks.shift(.bootTime, by: Self.sleepSeconds)
                        for process in [accrec, other] {
                            try await process.waitForStandardError(containing: ": the machine slept (")
                        }
                        let after = Self.frames(in: closedUp)
                        try await eventually("another second of each take", within: 20) {
                            Self.frames(in: closedUp) > after + 48_000
                                && Self.frames(in: filled) > after + 48_000 + Self.sleepFrames
                        }
                        for process in [accrec, other] { process.signal(SIGINT) }
                        // A file is written four times a second, so more may have been captured than it contains.
                        let place = before...after + 24_000
                        try Self.expectGap(in: closedUp, try await accrec.wait(), kind, isFilled: false, place)
                        try Self.expectGap(in: filled, try await other.wait(), kind, isFilled: true)
                    }
                }
            }
        }
    }

    /// Expects a counter without missing numbers, and one report of the sleep.
    ///
    /// - Parameters:
    ///   - isFilled: Whether the file contains silence of the reported length.
    ///   - place: The expected position of the gap, in frames.
    private static func expectGap(
        in path: URL, _ result: ProcessResult, _ kind: ServerKind, isFilled: Bool, _ place: ClosedRange<Int>? = nil
    ) throws {
        #expect(result.end == .exit(0), "\(result.standardError)")
        let notice = /missing at [^(]*: the machine slept \((\d+) frames/
        let report = /\((\d+) frames\): at (\d+):(\d+\.\d+) \(the machine slept/
        let notices = result.standardError.matches(of: notice)
        let reported = try #require(result.standardError.firstMatch(of: report), "\(result.standardError)")
        #expect(notices.count == 1)
        #expect(notices.first?.1 == reported.1)
        let missing = try #require(Int(reported.1))
        #expect(abs(missing - sleepFrames) < 48_000 / 20)
        let position = try #require(Double(reported.3)) * 48_000
        if let place { #expect(place.contains(Int(position))) }

        let numbers = Signal.numbers(inCounter: Signal.int16(try Data(contentsOf: path)), channels: 2)
        let sounds = numbers.indices.filter { numbers[$0] != 0 }
        // On a busy machine PipeWire itself skips cycles, but never this many frames.
        let isOfServer = { (missing: Int) in kind == .pipeWire && abs(missing) < sleepFrames / 10 }
        let breaks = zip(sounds, sounds.dropFirst()).filter { last, next in
            let missing = Int(numbers[next]) - Int(numbers[last]) - (next - last)
            return missing != 0 && !isOfServer(missing)
        }
        guard isFilled else { return #expect(breaks.isEmpty, "\(breaks)") }
        let (last, next) = try #require(breaks.first)
        #expect(breaks.count == 1, "\(breaks)")
        #expect(numbers[next] == numbers[last] + 1)
        #expect(next - last - 1 == missing)
        // The reported time is truncated to milliseconds.
        #expect((0...48).contains(last + 1 - Int(position)))
    }

    private static func record<Value>(
        to path: URL, _ more: [String], on server: PrivateServer, _ clocks: ShiftedClocks,
        _ body: (ChildProcess) async throws -> Value
    ) async throws -> Value {
        let arguments = ["record", "-o", path.path, "-r", "48000", "-c", "2", "-d", "room.monitor"] + more
        return try await AccrecProcess.with(arguments, on: server, environment: clocks.variables, body)
    }

    private static func take(_ server: PrivateServer, _ name: String) -> URL {
        server.directory.appending(path: "\(name).raw")
    }

    private static func frames(in path: URL) -> Int {
        let size = try? FileManager.default.attributesOfItem(atPath: path.path)[.size] as? Int
        return (size ?? 0) / 4
    }
}
