import Foundation
import TestSupport
import Testing

/// However a take ends, everything received until then is in the file.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct EndingTests {
    private static let counter: @Sendable (Int, Int) -> Data = { first, count in
        Signal.data(Signal.counter(from: UInt32(first), frames: count, channels: 2))
    }

    private static func record(_ path: URL, from source: String) -> [String] {
        ["record", "-o", path.path, "-d", source, "-r", "48000", "-c", "2"]
    }

    /// Expects a counter without gaps. On a busy machine PipeWire's pipe source itself skips cycles, which are
    /// multiples of 128 frames.
    private static func expectWhole(_ samples: [Int16], _ kind: ServerKind) {
        guard kind == .pipeWire else {
            #expect(Signal.firstBreak(inCounter: samples, channels: 2) == nil)
            return
        }
        let numbers = Signal.numbers(inCounter: samples, channels: 2)
        for (last, next) in zip(numbers, numbers.dropFirst()) where next != last &+ 1 {
            #expect(next > last && (next - last - 1) % 128 == 0, "\(next) after \(last)")
        }
    }

    @Test("R-10: Ctrl-C and SIGTERM cut nothing off", arguments: ServerKind.allCases, [SIGINT, SIGTERM])
    func signalsFinishTheTake(kind: ServerKind, signal: Int32) async throws {
        try await PrivateServer.with(kind) { server in
            try await PipeSourceFeeder.with("counter", on: server, generate: Self.counter) { feeder in
                let path = server.directory.appending(path: "take.wav")
                let arguments = Self.record(path, from: "counter")
                let (written, result) = try await AccrecProcess.with(arguments, on: server) { accrec in
                    try await eventually("feeding: \(accrec.standardError)") { feeder.framesWritten > 100_000 }
                    let written = feeder.framesWritten
                    accrec.signal(signal)
                    return (written, try await accrec.wait())
                }
                #expect(result.end == .exit(0), "\(result.standardError)")
                let samples = try PCMFile(wav: path).int16
                Self.expectWhole(samples, kind)
                if kind == .pulseAudio {
                    // The FIFO and the server's read buffer hold 4096 bytes each.
                    #expect(samples.count / 2 >= written - 2 * 4_096 / 4)
                    #expect(Signal.numbers(inCounter: samples, channels: 2).first == 0)
                }
            }
        }
    }

    @Test(
        "Paired signals, as sent by a closed terminal and its shell, timeout(1) and systemd, count once",
        arguments: [
            [SIGHUP, SIGHUP], [SIGTERM, SIGTERM], [SIGTERM, SIGHUP], [SIGINT, SIGINT], [SIGINT, SIGTERM, SIGHUP],
        ])
    func pairsOfSignalsFinishTheTake(signals: [Int32]) async throws {
        try await PrivateServer.with(.pulseAudio) { server in
            try await server.loadNullSink("room")
            let take = Take(on: server)
            let result = try await AccrecProcess.with(
                take.record(from: "room.monitor", with: ["--report", "report.json"]), on: server, in: server.directory
            ) { accrec in
                try await take.wait(for: 0.5, accrec)
                for signal in signals {
                    accrec.signal(signal)
                    // Wait until the signal is delivered, so that two equal ones do not merge.
                    try await eventually("no signal pending") {
                        let status = try? String(contentsOfFile: "/proc/\(accrec.processID)/status", encoding: .utf8)
                        return status?.contains("ShdPnd:\t0000000000000000") ?? true
                    }
                }
                return try await accrec.wait()
            }
            #expect(result.end == .exit(0), "\(result.standardError)")
            #expect(result.standardError.contains("lost      0 frames"))
            let report = try String(contentsOf: server.directory.appending(path: "report.json"), encoding: .utf8)
            #expect(report.contains(#""ending":"finished""#))
            #expect(try PCMFile(wav: take.url).frames > 24_000)
        }
    }

    @Test("A take that was started with its signals blocked can be ended", arguments: [SIGINT, SIGTERM, SIGHUP])
    func blockedSignalsFinishTheTake(signal: Int32) async throws {
        try await PrivateServer.with(.pulseAudio) { server in
            try await server.loadNullSink("room")
            let take = Take(on: server)
            let command = ["env", "--block-signal", try AccrecProcess.executable()] + take.record(from: "room.monitor")
            let result = try await ChildProcess.with(command, environment: server.environment) { accrec in
                try await take.wait(for: 0.5, accrec)
                accrec.signal(signal)
                return try await accrec.wait(within: 15)
            }
            #expect(result.end == .exit(0), "\(result.standardError)")
        }
    }

    @Test("A signal that arrives before a take's program does ends it, although its parent ignores it")
    func earlySignalsEndTheTake() async throws {
        try await PrivateServer.with(.pulseAudio) { server in
            try await server.loadNullSink("room")
            let program = "import os, sys; os.kill(os.getpid(), 2); os.execv(sys.argv[1], sys.argv[1:])"
            let early = ["env", "--block-signal=INT", "--ignore-signal=INT", "python3", "-c", program]
            let result = try await ChildProcess.run(
                early + [AccrecProcess.executable()] + Take(on: server).record(from: "room.monitor"),
                environment: server.environment, in: server.directory, within: 20)
            #expect(result.end == .signal(SIGINT))
        }
    }

    @Test("A take that is ended while its source is being opened leaves no file", arguments: [[], ["--force"]])
    func nothingIsLeftOfAStart(options: [String]) async throws {
        try await PrivateServer.with(.pulseAudio) { server in
            try await server.loadStalledSource("silent")
            let take = Take(on: server).record(from: "silent", with: options)
            // Stops the server as soon as the file is created, which is mostly before the source is open.
            let line = """
                shopt -s dotglob nullglob
                "$@" & until files=(*take*); ((${#files[@]})); do :; done; kill -STOP \(server.processID)
                kill $!; wait $!; status=$?; kill -CONT \(server.processID)
                files=(*take*); printf %s "${files[@]}"; exit $status
                """
            for _ in 1...8 {
                let result = try await ChildProcess.run(
                    ["bash", "-c", line, "bash", AccrecProcess.executable()] + take, environment: server.environment,
                    in: server.directory)
                #expect(result.end == .exit(1) || result.end == .exit(143))
                #expect(result.text.isEmpty, "\(result.text): \(result.standardError)")
            }
        }
    }

    @Test("I-13: killing the server loses nothing that was received", arguments: ServerKind.allCases)
    func killedServerLeavesTheFile(kind: ServerKind) async throws {
        try await PrivateServer.with(kind) { server in
            try await PipeSourceFeeder.with("counter", on: server, generate: Self.counter) { feeder in
                let path = server.directory.appending(path: "take.wav")
                let arguments = Self.record(path, from: "counter") + ["--interruption-timeout", "0.5"]
                let (written, result) = try await AccrecProcess.with(arguments, on: server) { accrec in
                    try await eventually("feeding: \(accrec.standardError)") { feeder.framesWritten > 150_000 }
                    let written = feeder.framesWritten
                    try await server.kill()
                    return (written, try await accrec.wait())
                }
                #expect(result.end == .exit(4))
                #expect(result.standardError.contains("interrupted: sound server gone"))
                let cause = "recording ended early: Connection refused (server '\(server.address)')."
                #expect(result.standardError.contains(cause))
                let samples = try PCMFile(wav: path).int16
                Self.expectWhole(samples, kind)
                // What the server had not sent yet is lost: a fragment of 100 ms, and the FIFO.
                let unsent = 4_800 + (kind == .pulseAudio ? 2 * 1_024 : 16_384 + 9_600)
                #expect(samples.count / 2 >= written - unsent)
            }
        }
    }

    @Test("A second take with the same name")
    func replacesOnlyWhenToldTo() async throws {
        try await PrivateServer.with(.pulseAudio) { server in
            try await server.loadNullSink("room")
            let path = server.directory.appending(path: "take.wav")
            let old = Data("not to be lost".utf8)
            try old.write(to: path)
            let arguments = Self.record(path, from: "room.monitor") + ["--max", "1"]

            let refused = try await AccrecProcess.run(arguments, on: server)
            #expect(refused.end == .exit(11))
            #expect(refused.standardError.contains("it already exists"))
            #expect(try Data(contentsOf: path) == old)

            try await AccrecProcess.with(Self.record(path, from: "room.monitor") + ["--force"], on: server) { accrec in
                try await accrec.waitForStandardError(containing: "recording from")
                #expect(try Data(contentsOf: path) == old)
                try await eventually("a second of the new take") {
                    let part = server.directory.appending(path: ".take.wav.\(accrec.processID).part").path
                    let size = try? FileManager.default.attributesOfItem(atPath: part)[.size] as? Int
                    return size ?? 0 > 192_000
                }
                accrec.kill()
                _ = try await accrec.wait()
            }
            #expect(try Data(contentsOf: path) == old)

            let replaced = try await AccrecProcess.run(arguments + ["--force"], on: server)
            #expect(replaced.end == .exit(0), "\(replaced.standardError)")
            #expect(try PCMFile(wav: path).frames == 48_000)

            // The file that the killed take left is reported, and can be opened.
            let left = try FileManager.default.contentsOfDirectory(atPath: server.directory.path)
                .filter { $0.hasPrefix(".take.wav.") }
            try #require(left.count == 1)
            let part = server.directory.appending(path: left[0]).path
            #expect(
                replaced.standardError.contains("accrec: '\(part)' is a partial file of a recording that was killed."))
            let repaired = try await AccrecProcess.run(["repair", part], on: nil)
            #expect(repaired.end == .exit(0) && repaired.standardError.contains("needs no repair"))
            // Killed while it wrote, it may have silence at its end that its header does not state yet.
            let stated = try await ChildProcess.run(["soxi", "-s", part]).text
            #expect(Int(stated.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0 > 24_000)
        }
    }

    @Test("F-07: a take without frames is an error and leaves no file")
    func anEmptyTakeIsAnError() async throws {
        try await PrivateServer.with(.pulseAudio) { server in
            try await server.loadStalledSource("silent")
            let path = server.directory.appending(path: "take.wav")
            let result = try await AccrecProcess.with(Self.record(path, from: "silent"), on: server) { accrec in
                try await accrec.waitForStandardError(containing: "recording from")
                accrec.signal(SIGINT)
                return try await accrec.wait(within: 10)
            }
            #expect(result.end == .exit(1))
            #expect(result.standardError.contains("nothing was recorded"))
            #expect(!FileManager.default.fileExists(atPath: path.path))
        }
    }

    @Test("D-08: loss and return of a device are reported, as plain text without a terminal")
    func aLostDeviceIsTold() async throws {
        try await PrivateServer.with(.pulseAudio) { server in
            try await server.loadNullSink("other")
            let room = try await server.loadNullSink("room")
            let path = server.directory.appending(path: "take.wav")
            let result = try await AccrecProcess.with(Self.record(path, from: "room.monitor"), on: server) { accrec in
                try await accrec.waitForStandardError(containing: "recording from")
                try await server.unloadModule(room)
                try await accrec.waitForStandardError(containing: "was unplugged\n")
                try await server.loadNullSink("room")
                // With or without a gap, depending on whether a frame had arrived before.
                try await eventually("the message that recording goes on") {
                    accrec.standardError.components(separatedBy: "recording ").count == 3
                }
                accrec.signal(SIGINT)
                return try await accrec.wait(within: 10)
            }
            #expect(!result.standardError.contains { $0 == "\r" || $0 == "\u{1B}" })
        }
    }
}
