import Foundation
import TestSupport
import Testing

/// `--exec`, the program that is run for each complete file.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct ExecTests {
    /// Runs a body with a server and the path of a shell script.
    private func withScript(
        _ script: String, _ body: (PrivateServer, _ path: String) async throws -> Void
    ) async throws {
        try await PrivateServer.with(.pulseAudio) { server in
            try await server.loadNullSink("room")
            let file = server.directory.appending(path: "the job")
            try "#!/bin/sh\n\(script)\n".write(to: file, atomically: true, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path)
            try await body(server, file.path)
        }
    }

    private func record(_ arguments: [String], _ script: String, on server: PrivateServer) async throws -> ProcessResult
    {
        try await AccrecProcess.run(
            ["record", "-d", "room.monitor", "--exec", "'\(script)' 'one word'"] + arguments, on: server,
            in: server.directory)
    }

    @Test("The program gets each file's name and report once the file is complete")
    func programRuns() async throws {
        try await withScript(
            #"cat >"$ACCREC_FILE.json"; wc -c <"$ACCREC_FILE" >"$ACCREC_FILE.size"; echo "$1" >>words"#
        ) {
            server, script in
            let result = try await record(
                ["-o", "take.wav", "-o", "-", "--max", "2.5", "--split-every", "1"], script, on: server)
            #expect(result.end == .exit(0), "\(result.standardError)")
            for (name, frames) in [("take.wav", 44_100), ("take-002.wav", 44_100), ("take-003.wav", 22_050)] {
                let file = server.directory.appending(path: name)
                let report = try JSONSerialization.jsonObject(
                    with: Data(contentsOf: file.appendingPathExtension("json")))
                #expect((report as? [String: Any])?["frames"] as? Int == frames)
                let size = try String(contentsOf: file.appendingPathExtension("size"), encoding: .utf8)
                #expect(try PCMFile(wav: file).frames == frames)
                #expect(Int(size.trimmingCharacters(in: .whitespacesAndNewlines)) == (try Data(contentsOf: file)).count)
            }
            let words = try String(contentsOf: server.directory.appending(path: "words"), encoding: .utf8)
            #expect(words == "one word\none word\none word\n")
        }
    }

    @Test("The program runs for a file that is complete while the recording goes on in the next one")
    func programRunsMeanwhile() async throws {
        try await withScript(#"cat >"$ACCREC_FILE.json""#) { server, script in
            let arguments = [
                "record", "-d", "room.monitor", "-o", "take.wav", "--split-every", "1", "--exec", "'\(script)'",
            ]
            try await AccrecProcess.with(arguments, on: server, in: server.directory) { accrec in
                let report = server.directory.appending(path: "take.wav.json")
                try await eventually("the first file's report") { FileManager.default.fileExists(atPath: report.path) }
                accrec.signal(SIGINT)
                #expect(try await accrec.wait(within: 30).end == .exit(0))
            }
        }
    }

    @Test("A program that fails is reported, and costs the take nothing but its exit status")
    func failureIsReported() async throws {
        try await withScript(#"echo "cannot do it$(printf '\033[31m')" >&2; exit 3"#) { server, script in
            let result = try await record(["-o", "take.wav", "--max", "0.5"], script, on: server)
            #expect(result.end == .exit(1))
            #expect(
                result.standardError.contains("'\(script)' for 'take.wav' failed: exit status 3: cannot do it?[31m"),
                "\(result.standardError)")
            #expect(try PCMFile(wav: server.directory.appending(path: "take.wav")).frames == 22_050)
        }
    }

    @Test("A program that hangs is ended, and one that cannot be run is refused before the take")
    func hangingProgramIsEnded() async throws {
        try await withScript("trap '' TERM; sleep 100 & wait; wait") { server, script in
            let result = try await record(
                ["-o", "take.wav", "--max", "0.5", "--exec-timeout", "1"], script, on: server)
            #expect(result.end == .exit(1))
            #expect(result.standardError.contains("runs for longer than --exec-timeout"), "\(result.standardError)")
            #expect(result.standardError.contains("ended by signal 9"), "\(result.standardError)")
            #expect(try PCMFile(wav: server.directory.appending(path: "take.wav")).frames == 22_050)
        }
        let refused = try await AccrecProcess.run(["record", "-o", "take.wav", "--exec", "no-such-program"], on: nil)
        #expect(refused.end == .exit(64))
        #expect(refused.standardError.contains("no program 'no-such-program'"), "\(refused.standardError)")
    }

    @Test("A batch runs the program for the file of each take")
    func batchRunsProgram() async throws {
        try await withScript(#"echo "$ACCREC_FILE" >>files"#) { server, script in
            let manifest = server.directory.appending(path: "takes.csv")
            try "output,duration\na.wav,0.3\nb.wav,0.3\n".write(to: manifest, atomically: true, encoding: .utf8)
            let result = try await AccrecProcess.run(
                ["batch", manifest.path, "-d", "room.monitor", "--exec", "'\(script)'"], on: server,
                in: server.directory)
            #expect(result.end == .exit(0), "\(result.standardError)")
            let files = try String(contentsOf: server.directory.appending(path: "files"), encoding: .utf8)
            #expect(files == "a.wav\nb.wav\n")
        }
    }
}
