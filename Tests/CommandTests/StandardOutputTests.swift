import Foundation
import TestSupport
import Testing

/// Recordings that are written to a pipe.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct StandardOutputTests {
    private static let record = "$accrec record -d room.monitor -r 48000 -c 2"

    @Test("When a reader closes its pipe, that output ends quietly and the others continue")
    func aReaderHasHadEnough() async throws {
        try await PrivateServer.withRoom(.pulseAudio, playing: .counter) { server in
            func read(_ command: String) async throws -> (status: String, errors: String) {
                let pipe = "{ \(command) 2>errors; echo $? >status; } | head -c 100000 | wc -c"
                #expect(try await server.shell(pipe).text == "100000\n")
                return (try server.text("status"), try server.text("errors"))
            }
            try await server.loadNullSink("silence")
            let silence = try await read("$accrec record -d silence.monitor -r 48000 -c 2 -o - --quiet")
            #expect(silence == ("0\n", ""))
            let result = try await read("\(Self.record) -o - -o take.wav --max 2 --report report.json")
            #expect(result.status == "0\n" && result.errors.contains("ended     (standard output) at 0:0"))
            #expect(!result.errors.contains("ENDED") && !result.errors.contains("cannot write"))
            let recording = try server.wav()
            #expect(recording.frames == 96_000 && Signal.firstBreak(inCounter: recording.int16, channels: 2) == nil)
            let report = try server.report()
            #expect(report.recording.ending == .limit && report.exitStatus == 0)
        }
    }

    /// Not on PipeWire, which processes more at a time than the requested buffer size.
    @Test("A reader gets each fragment separately, in the requested buffer size")
    func fragmentsAreNotGathered() async throws {
        try await PrivateServer.withRoom(.pulseAudio, playing: .counter) { server in
            let options = ["-o", "-", "-r", "48000", "-c", "2", "--buffer-size", "480", "--max", "2", "--quiet"]
            try await server.record(options) { accrec in
                let result = try await accrec.wait()
                #expect(result.standardOutput.count == 2 * 192_000)
                let ends = [0] + accrec.standardOutputArrivals.map(\.byteCount)
                let arrivals = zip(ends, ends.dropFirst()).map { (size: $1 - $0, end: $1) }
                // Where several come at once, there is more than a pipe accepts, and writes are split at page boundaries.
                #expect(
                    arrivals.allSatisfy { $0.end % 1_920 == 0 || $0.size % 4_096 == 0 || $0.size > 4_096 },
                    "\(arrivals)")
                let sizes = arrivals.map(\.size).sorted()
                #expect(sizes[sizes.count / Tolerance.fragmentsOfOneAlone] <= 1_920, "\(sizes)")
            }
        }
    }

    @Test("A stream is valid in its format, and its reader does not need to seek", arguments: ["wav", "flac"])
    func streams(format: String) async throws {
        try await PrivateServer.withRoom(.pulseAudio, playing: .counter) { server in
            let options = "-o - --format \(format) --encoding s16 --max 1.5 --quiet"
            let result = try await server.shell("\(Self.record) \(options) | sox -t \(format) - -t raw - 2>errors")
            #expect(result.standardOutput.count == 72_000 * 4)
            #expect(Signal.firstBreak(inCounter: Signal.int16(result.standardOutput), channels: 2) == nil)
        }
    }

    @Test(
        "With a reader that stops reading, the overflow policy applies and the numbers add up",
        arguments: ["wait", "drop", "stop"])
    func aReaderStops(policy: String) async throws {
        try await PrivateServer.withRoom(.pulseAudio, playing: .counter) { server in
            let options =
                "-o - -o take.wav --stdout-buffer 0.5 --stdout-overflow \(policy) --report report.json --events events.jsonl"
                // The counter reaches full scale, which counts as clipping.
                + (policy == "drop" ? " --strict" : "")
            // The reader starts when the recording is over, or nearly.
            let line =
                "mkfifo gate; { \(Self.record) \(options) 2>errors & echo $! >pid; wait $!; echo $? >status; } | "
                + "{ : <gate; cat; }"
            let recording = TestRecording(on: server)
            let result = try await server.shell(line) { shell in
                try await recording.wait(for: 2.5, shell)
                if policy == "drop" {
                    // The reader still reads nothing.
                    let errors = try server.text("errors")
                    #expect(errors.contains("audio is being dropped for"), "\(errors)")
                    #expect(errors.contains("its buffer of 0.5 s is full") && errors.contains("is 0.4 s behind"))
                }
                if policy == "wait" { try await server.open("gate") }
                kill(try server.processID(in: "pid"), SIGINT)
                if policy != "wait" { try await server.open("gate") }
            }
            let whole = try recording.counter()
            #expect(whole.breaks.isEmpty)
            let numbers = Signal.numbers(inCounter: Signal.int16(result.standardOutput), channels: 2)
            #expect(Array(whole.numbers.prefix(numbers.count)) == numbers || policy == "drop")
            let outputs = try server.report().recording.outputs
            let losses = outputs.flatMap(\.gaps).map(\.framesLost)
            let lost = losses.reduce(0, +)
            let status = try server.text("status")
            switch policy {
            case "wait":
                #expect(numbers.count == whole.numbers.count && lost == 0 && status == "0\n")
            case "drop":
                #expect(lost > 48_000 && numbers.count + lost == whole.numbers.count && status == "12\n")
                // Each number is missing or greater than the one before; the end may be missing too.
                let ends = numbers + [UInt32(whole.numbers.last! + 1)]
                let jumps = zip(ends, ends.dropFirst()).filter { $1 != $0 + 1 }
                #expect(jumps.allSatisfy { $0 < $1 })
                #expect(jumps.map { Int($1) - Int($0) - 1 } == losses)
                let events = EventsFile(on: server)
                try await events.expectValid()
                #expect(try !events.lines("output_gap").isEmpty)
                #expect(outputs.contains { !$0.isBitExact })
            default:
                // Half a second is buffered, and the pipe holds 64 KiB.
                #expect(numbers.count < 48_000 && status == "1\n")
                #expect(try server.text("report.json").contains("its reader is too slow"))
            }
        }
    }
}
