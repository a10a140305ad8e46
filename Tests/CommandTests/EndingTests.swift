import Foundation
import TestSupport
import Testing

/// However a recording ends, everything received until then is in the file.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct EndingTests {
    /// Expects a counter without gaps, but for cycles that PipeWire's pipe source skips.
    private static func expectWhole(_ samples: [Int16], _ kind: ServerKind) {
        guard kind == .pipeWire else {
            #expect(Signal.firstBreak(inCounter: samples, channels: 2) == nil)
            return
        }
        let numbers = Signal.numbers(inCounter: samples, channels: 2)
        for (last, next) in zip(numbers, numbers.dropFirst()) where next != last &+ 1 {
            #expect(next > last && Int(next - last - 1) % Tolerance.cycleOfPipeSource == 0, "\(next) after \(last)")
        }
    }

    @Test("R-10: Ctrl-C and SIGTERM cut nothing off", arguments: ServerKind.allCases, [SIGINT, SIGTERM])
    func signalsFinishTheRecording(kind: ServerKind, signal: Int32) async throws {
        try await PipeSourceFeeder.withCounter(kind) { server, feeder in
            let recording = TestRecording(on: server)
            var written = 0
            try await server.record(recording, from: "counter") { accrec in
                try await eventually("feeding: \(accrec.standardError)") { feeder.framesWritten > 100_000 }
                written = feeder.framesWritten
                accrec.signal(signal)
            }
            let samples = try PCMFile(wav: recording.url).int16
            Self.expectWhole(samples, kind)
            if kind == .pulseAudio {
                #expect(samples.count / 2 >= written - Tolerance.heldByPipeSource(kind))
                #expect(Signal.numbers(inCounter: samples, channels: 2).first == 0)
            }
        }
    }

    @Test(
        "Paired signals, as sent by a closed terminal and its shell, timeout(1) and systemd, count once",
        arguments: [
            [SIGHUP, SIGHUP], [SIGTERM, SIGTERM], [SIGTERM, SIGHUP], [SIGINT, SIGINT], [SIGINT, SIGTERM, SIGHUP],
        ])
    func pairsOfSignalsFinishTheRecording(signals: [Int32]) async throws {
        try await PrivateServer.withRoom(.pulseAudio) { server in
            let recording = TestRecording(on: server)
            let result = try await server.record(recording, with: ["--report", "report.json"]) { accrec in
                try await recording.wait(for: 0.5, accrec)
                for signal in signals {
                    accrec.signal(signal)
                    // Wait until the signal is delivered, so that two equal ones do not merge.
                    try await eventually("no signal pending") {
                        let status = try? String(contentsOfFile: "/proc/\(accrec.processID)/status", encoding: .utf8)
                        return status?.contains("ShdPnd:\t0000000000000000") ?? true
                    }
                }
            }
            #expect(result.standardError.contains("lost      0 frames"))
            #expect(try server.report().recording.ending == .finished)
            #expect(try PCMFile(wav: recording.url).frames > 24_000)
        }
    }

    @Test("A recording that was started with its signals blocked can be ended", arguments: [SIGINT, SIGTERM, SIGHUP])
    func blockedSignalsFinishTheRecording(signal: Int32) async throws {
        try await PrivateServer.withRoom(.pulseAudio) { server in
            let recording = TestRecording(on: server)
            let line = "exec env --block-signal $accrec record -o take.wav -d room.monitor -r 48000 -c 2"
            let result = try await server.shell(line, within: 15) { accrec in
                try await recording.wait(for: 0.5, accrec)
                accrec.signal(signal)
            }
            #expect(result.end == .exit(0), "\(result.standardError)")
        }
    }

    @Test("A signal that arrives before a recording's program does ends it, although its parent ignores it")
    func earlySignalsEndTheRecording() async throws {
        try await PrivateServer.withRoom(.pulseAudio) { server in
            let program = "import os, sys; os.kill(os.getpid(), 2); os.execv(sys.argv[1], sys.argv[1:])"
            let early = "exec env --block-signal=INT --ignore-signal=INT python3 -c '\(program)'"
            let result = try await server.shell(
                "\(early) $accrec record -o take.wav -d room.monitor", within: 20)
            #expect(result.end == .signal(SIGINT))
        }
    }

    @Test("A recording that is ended while its source is being opened leaves no file", arguments: ["", "--force"])
    func nothingIsLeftOfAStart(option: String) async throws {
        try await PrivateServer.with(.pulseAudio) { server in
            try await server.loadStalledSource("silent")
            // Stops the server as soon as the file is created, which is mostly before the source is open.
            let line = """
                shopt -s dotglob nullglob
                $accrec record -o take.wav -d silent \(option) & until files=(*take*); ((${#files[@]})); do :; done
                kill -STOP \(server.processID)
                kill $!; wait $!; status=$?; kill -CONT \(server.processID)
                files=(*take*); printf %s "${files[@]}"; exit $status
                """
            for _ in 1...8 {
                let result = try await server.shell(line)
                #expect(result.end == .exit(1) || result.end == .exit(143))
                #expect(result.text.isEmpty, "\(result.text): \(result.standardError)")
            }
        }
    }

    @Test("I-13: killing the server loses nothing that was received", arguments: ServerKind.allCases)
    func killedServerLeavesTheFile(kind: ServerKind) async throws {
        try await PipeSourceFeeder.withCounter(kind) { server, feeder in
            let recording = TestRecording(on: server)
            var written = 0
            let options = ["--interruption-timeout", "0.5"]
            let result = try await server.record(recording, with: options, from: "counter", status: 4) { accrec in
                try await eventually("feeding: \(accrec.standardError)") { feeder.framesWritten > 150_000 }
                written = feeder.framesWritten
                try await server.kill()
            }
            #expect(result.standardError.contains("interrupted: sound server gone"))
            let cause = "recording ended early: Connection refused (server '\(server.address)')."
            #expect(result.standardError.contains(cause))
            let samples = try PCMFile(wav: recording.url).int16
            Self.expectWhole(samples, kind)
            // What the server had not sent yet is lost.
            let unsent = Tolerance.fragmentInTransit + Tolerance.heldByPipeSource(kind)
            #expect(samples.count / 2 >= written - unsent)
        }
    }

    @Test("A second recording with the same name")
    func replacesOnlyWhenToldTo() async throws {
        try await PrivateServer.withRoom(.pulseAudio) { server in
            let recording = TestRecording(on: server)
            let old = Data("not to be lost".utf8)
            try old.write(to: recording.url)
            let refused = try await server.record(recording, with: ["--max", "1"], status: 11)
            #expect(refused.standardError.contains("it already exists"))
            #expect(try Data(contentsOf: recording.url) == old)

            try await server.record(recording, with: ["--force"], status: nil) { accrec in
                try await accrec.waitForStandardError(containing: "recording from")
                #expect(try Data(contentsOf: recording.url) == old)
                try await TestRecording(on: server, ".take.wav.\(accrec.processID).part").wait(for: 1, accrec)
                accrec.kill()
            }
            #expect(try Data(contentsOf: recording.url) == old)

            let replaced = try await server.record(recording, with: ["--max", "1", "--force"])
            #expect(try PCMFile(wav: recording.url).frames == 48_000)

            // The file that the killed recording left is reported, and can be opened.
            let left = try server.fileNames().filter { $0.hasPrefix(".take.wav.") }
            try #require(left.count == 1)
            let part = server.file(left[0]).path
            #expect(
                replaced.standardError.contains("accrec: '\(part)' is a partial file of a recording that was killed."))
            let repaired = try await server.accrec(["repair", part])
            #expect(repaired.standardError.contains("needs no repair"))
            // Killed while it wrote, it may have silence at its end that its header does not state yet.
            let stated = try await ChildProcess.run(["soxi", "-s", part]).text
            #expect(Int(stated.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0 > 24_000)
        }
    }

    @Test("F-07: a recording without frames is an error and leaves no file")
    func anEmptyTakeIsAnError() async throws {
        try await PrivateServer.with(.pulseAudio) { server in
            try await server.loadStalledSource("silent")
            let result = try await server.record(TestRecording(on: server), from: "silent", status: 1, within: 10) {
                accrec in
                try await accrec.waitForStandardError(containing: "recording from")
                accrec.signal(SIGINT)
            }
            #expect(result.standardError.contains("nothing was recorded"))
            #expect(!server.hasFile("take.wav"))
        }
    }

    @Test("D-08: loss and return of a device are reported, as plain text without a terminal")
    func aLostDeviceIsTold() async throws {
        try await PrivateServer.with(.pulseAudio) { server in
            try await server.loadNullSink("other")
            let room = try await server.loadNullSink("room")
            let result = try await server.record(TestRecording(on: server), status: nil, within: 10) { accrec in
                try await accrec.waitForStandardError(containing: "recording from")
                try await server.unloadModule(room)
                try await accrec.waitForStandardError(containing: "was unplugged\n")
                try await server.loadNullSink("room")
                // With or without a gap, depending on whether a frame had arrived before.
                try await eventually("the message that recording goes on") {
                    accrec.standardError.components(separatedBy: "recording ").count == 3
                }
                accrec.signal(SIGINT)
            }
            #expect(!result.standardError.contains { $0 == "\r" || $0 == "\u{1B}" })
        }
    }
}
