import Foundation
import TestSupport
import Testing

/// Takes that are written to a pipe.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct StandardOutputTests {
    private static let take = ["record", "-d", "room.monitor", "-r", "48000", "-c", "2"]

    /// Runs a body while a counter plays in the room.
    private func withCounter(_ kind: ServerKind, _ body: (PrivateServer) async throws -> Void) async throws {
        try await PrivateServer.with(kind) { server in
            try await server.loadNullSink("room")
            let counter = Signal.data(Signal.counter(from: 1, frames: 20 * 48_000, channels: 2))
            // The counter has no gap even if the player waits for a processor.
            try await Player.with(counter, into: "room", on: server) { _ in try await body(server) }
        }
    }

    @Test("When a reader closes its pipe, that output ends quietly and the others continue")
    func aReaderHasHadEnough() async throws {
        try await withCounter(.pulseAudio) { server in
            let command = ([try AccrecProcess.executable()] + Self.take).joined(separator: " ")
            func read(_ options: String, from source: String = "room") async throws -> (status: String, errors: String)
            {
                let accrec = command.replacing("room.monitor", with: "\(source).monitor")
                let pipe = "{ \(accrec) -o - \(options) 2>errors; echo $? >status; } | head -c 100000 | wc -c"
                let result = try await ChildProcess.run(
                    ["sh", "-c", pipe], environment: server.environment, in: server.directory)
                #expect(result.text.trimmingCharacters(in: .whitespacesAndNewlines) == "100000")
                func content(_ name: String) throws -> String {
                    try String(contentsOf: server.directory.appending(path: name), encoding: .utf8)
                }
                return (try content("status"), try content("errors"))
            }
            try await server.loadNullSink("silence")
            #expect(try await read("--quiet", from: "silence") == ("0\n", ""))
            let result = try await read("-o take.wav --max 2 --report report.json")
            #expect(result.status == "0\n" && result.errors.contains("ended     (standard output) at 0:0"))
            #expect(!result.errors.contains("ENDED") && !result.errors.contains("cannot write"))
            let take = try PCMFile(wav: server.directory.appending(path: "take.wav"))
            #expect(take.frames == 96_000 && Signal.firstBreak(inCounter: take.int16, channels: 2) == nil)
            let report = try String(contentsOf: server.directory.appending(path: "report.json"), encoding: .utf8)
            #expect(report.contains(#""ending":"limit""#) && report.contains(#""exit_status":0"#))
        }
    }

    @Test(
        "A reader gets each fragment separately, in the requested buffer size",
        arguments: ServerKind.allCases)
    func fragmentsAreNotGathered(kind: ServerKind) async throws {
        try await withCounter(kind) { server in
            let options = ["-o", "-", "--buffer-size", "480", "--max", "3", "--quiet"]
            try await AccrecProcess.with(Self.take + options, on: server) { accrec in
                let result = try await accrec.wait()
                #expect(result.end == .exit(0) && result.standardOutput.count == 3 * 192_000)
                let ends = [0] + accrec.standardOutputArrivals.map(\.byteCount)
                let arrivals = zip(ends, ends.dropFirst()).map { (size: $1 - $0, end: $1) }
                // The server delivers several at once, and a busy machine is sometimes late. Then there is more than a
                // pipe accepts at once, and writes are split at page boundaries.
                #expect(
                    arrivals.allSatisfy { $0.end % 1_920 == 0 || $0.size % 4_096 == 0 || $0.size > 4_096 },
                    "\(arrivals)")
                let sizes = arrivals.map(\.size).sorted()
                #expect(sizes[sizes.count / 4] <= 1_920, "\(sizes)")
            }
        }
    }

    @Test("A stream is valid in its format, and its reader does not need to seek", arguments: ["wav", "flac"])
    func streams(format: String) async throws {
        try await withCounter(.pulseAudio) { server in
            let accrec = ([try AccrecProcess.executable()] + Self.take).joined(separator: " ")
            let command =
                "\(accrec) -o - --format \(format) --encoding s16 --max 1.5 --quiet | sox -t \(format) - -t raw - 2>errors"
            let result = try await ChildProcess.run(
                ["sh", "-c", command], environment: server.environment, in: server.directory)
            #expect(result.standardOutput.count == 72_000 * 4)
            #expect(Signal.firstBreak(inCounter: Signal.int16(result.standardOutput), channels: 2) == nil)
        }
    }

    @Test(
        "With a reader that stops reading, the overflow policy applies and the numbers add up",
        arguments: ["wait", "drop", "stop"])
    func aReaderStops(policy: String) async throws {
        try await withCounter(.pulseAudio) { server in
            let accrec = ([try AccrecProcess.executable()] + Self.take).joined(separator: " ")
            let options =
                "-o - -o take.wav --stdout-buffer 0.5 --stdout-overflow \(policy) --report report.json --events events.jsonl"
                // The counter reaches full scale, which counts as clipping.
                + (policy == "drop" ? " --strict" : "")
            // The reader starts when the take is over, or nearly.
            let command =
                "{ \(accrec) \(options) 2>errors & echo $! >pid; wait $!; echo $? >status; } | "
                + "{ while ! test -e read; do sleep 0.05; done; cat; }"
            try await ChildProcess.with(
                ["sh", "-c", command], environment: server.environment, in: server.directory
            ) { shell in
                let take = Take(on: server)
                try await eventually("three seconds of the take", within: 20) { take.seconds > 3 }
                if policy == "drop" {
                    // The reader still reads nothing.
                    let errors = try String(contentsOf: server.directory.appending(path: "errors"), encoding: .utf8)
                    #expect(errors.contains("audio is being dropped for"), "\(errors)")
                    #expect(errors.contains("its buffer of 0.5 s is full") && errors.contains("is 0.4 s behind"))
                }
                let pid = try String(contentsOf: server.directory.appending(path: "pid"), encoding: .utf8)
                if policy == "wait" { try Data().write(to: server.directory.appending(path: "read")) }
                kill(try #require(pid_t(pid.trimmingCharacters(in: .whitespacesAndNewlines))), SIGINT)
                if policy != "wait" { try Data().write(to: server.directory.appending(path: "read")) }
                let result = try await shell.wait()
                let whole = try take.counter()
                #expect(whole.breaks.isEmpty)
                let numbers = Signal.numbers(inCounter: Signal.int16(result.standardOutput), channels: 2)
                #expect(Array(whole.numbers.prefix(numbers.count)) == numbers || policy == "drop")
                let report = try String(contentsOf: server.directory.appending(path: "report.json"), encoding: .utf8)
                let lost = Self.lost(in: report)
                let status = try String(contentsOf: server.directory.appending(path: "status"), encoding: .utf8)
                switch policy {
                case "wait":
                    #expect(numbers.count == whole.numbers.count && lost == 0 && status == "0\n")
                case "drop":
                    #expect(lost > 48_000 && numbers.count + lost == whole.numbers.count && status == "12\n")
                    // Each number is missing or greater than the one before; the end may be missing too.
                    let ends = numbers + [UInt32(whole.numbers.last! + 1)]
                    let jumps = zip(ends, ends.dropFirst()).filter { $1 != $0 + 1 }
                    #expect(jumps.allSatisfy { $0 < $1 })
                    #expect(jumps.map { Int($1) - Int($0) - 1 } == Self.losses(in: report))
                    let events = server.directory.appending(path: "events.jsonl")
                    try await JSONSchema.expect(events, toFit: "events-1")
                    #expect(try String(contentsOf: events, encoding: .utf8).contains(#""event":"output_gap""#))
                    #expect(report.contains(#""is_bit_exact":false"#))
                default:
                    // Half a second is buffered, and the pipe holds 64 KiB.
                    #expect(numbers.count < 48_000 && status == "1\n")
                    #expect(report.contains("its reader is too slow"))
                }
            }
        }
    }

    /// The number of frames missing in the output that is not the file.
    private static func lost(in report: String) -> Int {
        losses(in: report).reduce(0, +)
    }

    /// The same, per gap.
    private static func losses(in report: String) -> [Int] {
        let object = try? JSONSerialization.jsonObject(with: Data(report.utf8)) as? [String: Any]
        let outputs = object?["outputs"] as? [[String: Any]] ?? []
        let gaps = outputs.flatMap { $0["gaps"] as? [[String: Any]] ?? [] }
        return gaps.map { $0["frames_lost"] as? Int ?? 0 }
    }
}
