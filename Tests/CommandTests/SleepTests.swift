import Foundation
import TestSupport
import Testing

/// The machine sleeps in the middle of a take. It cannot be put to sleep here, so `Tests/Preload/sleep.c` moves the clock
/// by which the program notices.
@Suite(.timeLimit(.minutes(2)))
struct SleepTests {
    private static let sleepSeconds: Int32 = 7
    private static let sleepFrames = Int(sleepSeconds) * 48_000

    @Test("I-12: the machine sleeps, and the take goes on", arguments: ServerKind.allCases)
    func aSleepIsAGap(kind: ServerKind) async throws {
        try await PrivateServer.with(kind) { server in
            try await server.loadNullSink("room", isPrompt: true)
            let clock = try await Self.makeClock(in: server.directory)
            let counter = Signal.data(Signal.counter(from: 1, frames: 60 * 48_000, channels: 2))
            let (closedUp, filled) = (Self.take(server, "closed-up"), Self.take(server, "filled"))
            try await Player.with(counter, into: "room", on: server) { _ in
                try await Self.record(to: closedUp, [], on: server, clock) { accrec in
                    try await Self.record(to: filled, ["--fill-gaps"], on: server, clock) { other in
                        try await eventually("a second of each take", within: 20) {
                            Self.frames(in: closedUp) > 48_000 && Self.frames(in: filled) > 48_000
                        }
                        let before = Self.frames(in: closedUp)
                        try Self.advance(clock, by: Self.sleepSeconds)
                        for process in [accrec, other] {
                            try await process.waitForStandardError(containing: "for the machine slept")
                        }
                        let after = Self.frames(in: closedUp)
                        try await eventually("another second of each take", within: 20) {
                            Self.frames(in: closedUp) > after + 48_000
                                && Self.frames(in: filled) > after + 48_000 + Self.sleepFrames
                        }
                        for process in [accrec, other] { process.signal(SIGINT) }
                        // A file is written four times a second, so there may be more than it shows.
                        let place = before...after + 24_000
                        try Self.expectGap(in: closedUp, try await accrec.wait(), kind, isFilled: false, place)
                        try Self.expectGap(in: filled, try await other.wait(), kind, isFilled: true)
                    }
                }
            }
        }
    }

    /// Expects a counter in which nothing is missing, and one report of the sleep.
    ///
    /// - Parameters:
    ///   - isFilled: whether silence is in it, as long as what was reported.
    ///   - place: where the gap has to be, in frames.
    private static func expectGap(
        in path: URL, _ result: ProcessResult, _ kind: ServerKind, isFilled: Bool, _ place: ClosedRange<Int>? = nil
    ) throws {
        #expect(result.end == .exit(0), "\(result.standardError)")
        let notice = /(\d+) frames of the source are missing, for the machine slept/
        let report = /(\d+) at (\d+):(\d+\.\d+) \(the machine slept/
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
        // On a busy machine PipeWire itself leaves out a cycle now and then, but never this much.
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
        // What is reported is cut off to the millisecond.
        #expect((0...48).contains(last + 1 - Int(position)))
    }

    private static func record<Value>(
        to path: URL, _ more: [String], on server: PrivateServer, _ clock: URL,
        _ body: (ChildProcess) async throws -> Value
    ) async throws -> Value {
        let arguments = ["record", "-o", path.path, "-r", "48000", "-c", "2", "-d", "room.monitor"] + more
        let variables = [
            "LD_PRELOAD": clock.appendingPathExtension("so").path, "SLEPT_SECONDS": clock.path,
        ]
        return try await AccrecProcess.with(arguments, on: server, environment: variables, body)
    }

    private static func take(_ server: PrivateServer, _ name: String) -> URL {
        server.directory.appending(path: "\(name).raw")
    }

    private static func frames(in path: URL) -> Int {
        let size = try? FileManager.default.attributesOfItem(atPath: path.path)[.size] as? Int
        return (size ?? 0) / 4
    }

    /// The clock that a program is to have: a file of the seconds that were slept, and beside it the library.
    private static func makeClock(in directory: URL) async throws -> URL {
        let clock = directory.appending(path: "slept")
        try await CHelper.compile("Preload/sleep.c", to: clock.appendingPathExtension("so"), CHelper.preloaded)
        try Data(count: 4).write(to: clock)
        return clock
    }

    /// Written in place, for the file is mapped.
    private static func advance(_ clock: URL, by seconds: Int32) throws {
        let file = try FileHandle(forUpdating: clock)
        defer { try? file.close() }
        try file.write(contentsOf: withUnsafeBytes(of: seconds) { Data($0) })
    }
}
