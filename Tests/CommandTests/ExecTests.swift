import ACCAudioRecorder
import Foundation
import TestSupport
import Testing

/// `--exec`, the program that is run for each complete file.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct ExecTests {
    /// Runs a body with a server, and options that have a shell script run for each file.
    private func withScript(
        _ script: String, _ body: (PrivateServer, _ options: [String]) async throws -> Void
    ) async throws {
        try await PrivateServer.withRoom(.pulseAudio) { server in
            try server.write("#!/bin/sh\n\(script)\n", to: "the program")
            let path = server.file("the program").path
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
            try await body(server, ["--exec", "'\(path)' 'one word'"])
        }
    }

    @Test("The program gets each file's name and report once the file is complete")
    func programRuns() async throws {
        try await withScript(
            #"cat >"$ACCREC_FILE.json"; wc -c <"$ACCREC_FILE" >"$ACCREC_FILE.size"; echo "$1" >>words"#
        ) {
            server, options in
            try await server.record(["-o", "take.wav", "-o", "-", "--max", "2.5", "--split-every", "1"] + options)
            for (name, frames) in [("take.wav", 48_000), ("take-002.wav", 48_000), ("take-003.wav", 24_000)] {
                let report = try JSONDecoder().decode(
                    OutputReport.self, from: Data(contentsOf: server.file("\(name).json")))
                #expect(report.frameCount == frames)
                #expect(try server.wav(name).frames == frames)
                let size = try server.text("\(name).size").trimmingCharacters(in: .whitespacesAndNewlines)
                #expect(Int(size) == (try Data(contentsOf: server.file(name))).count)
            }
            #expect(try server.text("words") == "one word\none word\none word\n")
        }
    }

    @Test("The program runs for a file that is complete while the recording goes on in the next one")
    func programRunsMeanwhile() async throws {
        try await withScript(#"cat >"$ACCREC_FILE.json""#) { server, options in
            try await server.record(["-o", "take.wav", "--split-every", "1"] + options, within: 30) { accrec in
                try await eventually("the first file's report") { server.hasFile("take.wav.json") }
                accrec.signal(SIGINT)
            }
        }
    }

    @Test("A program that fails is reported, and costs the recording nothing but its exit status")
    func failureIsReported() async throws {
        try await withScript(#"echo "cannot do it$(printf '\033[31m')" >&2; exit 3"#) { server, options in
            let result = try await server.record(["-o", "take.wav", "--max", "0.5"] + options, status: 1)
            let message = "'\(server.file("the program").path)' for 'take.wav' failed: exit status 3: cannot do it?[31m"
            #expect(result.standardError.contains(message), "\(result.standardError)")
            #expect(try server.wav().frames == 24_000)
        }
    }

    @Test("A program that hangs is ended, and one that cannot be run is refused before the recording")
    func hangingProgramIsEnded() async throws {
        try await withScript("trap '' TERM; sleep 100 & wait; wait") { server, options in
            let result = try await server.record(
                ["-o", "take.wav", "--max", "0.5", "--exec-timeout", "1"] + options, status: 1)
            #expect(result.standardError.contains("runs for longer than --exec-timeout"), "\(result.standardError)")
            #expect(result.standardError.contains("ended by signal 9"), "\(result.standardError)")
            #expect(try server.wav().frames == 24_000)
        }
        let refused = try await AccrecProcess.run(["record", "-o", "take.wav", "--exec", "no-such-program"], on: nil)
        #expect(refused.end == .exit(64))
        #expect(refused.standardError.contains("no program 'no-such-program'"), "\(refused.standardError)")
    }

    /// What a recording keeps of the files that wait.
    private func records(on server: PrivateServer) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: server.directory.path).filter {
            $0.hasPrefix(".accrec-exec-")
        }
    }

    @Test("Files that wait for another try are shown, and are run by the next recorder where this one is killed")
    func filesSurviveARestart() async throws {
        let script = #"[ -e ok ] && echo "$ACCREC_FILE" >>done || { echo "no network" >&2; exit 7; }"#
        try await withScript(script) { server, options in
            let arguments = ["-o", "take-{n}.wav", "--split-every", "1", "--exec-retries", "1000"] + options
            try await server.record(arguments, status: nil) { accrec in
                try await accrec.waitForStandardError(
                    containing: "for 'take-001.wav' failed: exit status 7: no network")
                try await accrec.waitForStandardError(containing: "Trying again in 1 s (1 of 1000)")
                let answer = try await AccrecProcess.run(["ctl", "--json", "status"], on: server)
                try server.write(answer.text, to: "answer.json")
                try await JSONSchema.expect(server.file("answer.json"), toFit: "control-1")
                #expect(answer.text.contains(#""last_failure":{"file":"take-00"#), "\(answer.text)")
                let text = try await AccrecProcess.run(["ctl", "status"], on: server).text
                #expect(text.contains("tried again\n--exec: failed last for 'take-00"), "\(text)")
                #expect(text.hasSuffix(".wav': exit status 7: no network\n"), "\(text)")
                try await eventually("a record") { try !records(on: server).isEmpty }
                accrec.signal(SIGKILL)
            }
            try server.write("", to: "ok")
            try await server.record(arguments) { accrec in
                try await eventually("the first file: \(accrec.standardError)") {
                    (try? server.text("done"))?.contains(server.file("take-001.wav").path) ?? false
                }
                accrec.signal(SIGINT)
            }
            #expect(try records(on: server).isEmpty)
        }
    }

    @Test(
        "The file that a killed recorder was writing has the program once, from the next recorder, and can be read then"
    )
    func killedRecorder() async throws {
        try await withScript(#"cat >"$ACCREC_FILE.json"; echo "$ACCREC_FILE" >>done"#) { server, options in
            let arguments = ["-o", "take-{n}.wav"] + options
            try await server.record(arguments, status: nil) { accrec in
                try await eventually("a record of the file, with samples") {
                    try !records(on: server).isEmpty
                        && (try? Data(contentsOf: server.file("take-001.wav")).count) ?? 0 > 20_000
                }
                accrec.signal(SIGKILL)
            }
            for _ in 1...2 {
                let result = try await server.record(arguments + ["--max", "0.5"])
                let isFirst = result.standardError.contains("take-001.wav' has 0:0")
                #expect(isFirst == result.standardError.contains("its recorder was killed. --exec runs for it"))
            }
            let done = try server.text("done").split(separator: "\n").map {
                URL(filePath: String($0)).lastPathComponent
            }
            #expect(done.sorted() == ["take-001.wav", "take-002.wav", "take-003.wav"])
            let report = try JSONDecoder().decode(
                OutputReport.self, from: Data(contentsOf: server.file("take-001.wav.json")))
            #expect(report.frameCount > 0 && report.failure?.failure?.cause == "its recorder was killed")
            #expect(!report.isBitExact)
            #expect(try server.wav("take-001.wav").frames == report.frameCount)
            #expect(try records(on: server).isEmpty)
        }
    }

    @Test("Ctrl-C after the recording ends the wait for another try, and leaves the file to the next recording")
    func waitIsEnded() async throws {
        try await withScript("exit 1") { server, options in
            let arguments = ["-o", "take.wav", "--max", "0.5", "--exec-retries", "100"] + options
            let result = try await server.record(arguments, status: 1) { accrec in
                try await accrec.waitForStandardError(containing: "--exec still runs for 1 file; Ctrl-C ends it")
                accrec.signal(SIGINT)
            }
            #expect(result.standardError.contains("left to the next recording"), "\(result.standardError)")
            #expect(try records(on: server).count == 1)
            try FileManager.default.removeItem(at: server.file("take.wav"))
            let next = try await server.record(
                ["-o", "take.wav", "--max", "0.5", "--exec-retries", "0"] + options, status: 1)
            #expect(next.standardError.contains("is not run: the file of an earlier recording is gone"))
            #expect(try records(on: server).isEmpty)
        }
    }

    @Test("What a batch that is killed has left waiting is run by the next run of it")
    func batchIsKilled() async throws {
        try await withScript(#"[ -e ok ] && echo "$ACCREC_FILE" >>done"#) { server, options in
            try server.write("output,duration\na.wav,0.3\nb.wav,30\n", to: "takes.csv")
            let batch = ["batch", "takes.csv", "-d", "room.monitor", "--exec-retries", "1000"] + options
            try await server.accrec(batch, status: nil) { accrec in
                try await accrec.waitForStandardError(containing: "for 'a.wav' failed: exit status 1")
                try await eventually("a record") { try !records(on: server).isEmpty }
                accrec.signal(SIGKILL)
            }
            try server.write("", to: "ok")
            try server.write("output,duration\na.wav,0.3\nb.wav,0.3\n", to: "takes.csv")
            try? FileManager.default.removeItem(at: server.file("b.wav"))
            try await server.accrec(batch + ["--continue"])
            let done = try server.text("done").split(separator: "\n").map {
                URL(filePath: String($0)).lastPathComponent
            }
            #expect(done == ["a.wav", "b.wav"])
            #expect(try records(on: server).isEmpty)
        }
    }

    @Test("A batch runs the program for the file of each take")
    func batchRunsProgram() async throws {
        try await withScript(#"echo "$ACCREC_FILE" >>files"#) { server, options in
            try server.write("output,duration\na.wav,0.3\nb.wav,0.3\n", to: "takes.csv")
            try await server.accrec(["batch", "takes.csv", "-d", "room.monitor"] + options)
            #expect(try server.text("files") == "a.wav\nb.wav\n")
        }
    }
}
