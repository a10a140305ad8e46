import Foundation
import TestSupport
import Testing

/// What a press of the tabulator key makes of a line, in the shells themselves.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct CompletionTests {
    enum Shell: String, CaseIterable {
        case bash, zsh, fish

        /// Starts it without anybody's settings.
        var command: String {
            switch self {
            case .bash: "bash --norc --noprofile -i"
            case .zsh: "zsh -f -i"
            case .fish: "fish --no-config -i"
            }
        }

        /// Where it finds the script below a directory.
        var file: String { self == .zsh ? "_accrec" : "accrec.\(rawValue)" }

        /// Has it take the script.
        var setUp: String {
            self == .zsh ? "fpath=($PWD $fpath); autoload -Uz compinit; compinit -u -D" : "source $PWD/\(file)"
        }
    }

    /// Types a line and the key into a shell on a terminal of its own; then has the shell print what it has become. The
    /// driver is killed at the deadline where that is something else.
    private static let driver = #"""
        zmodload zsh/zpty
        zpty shell $1
        zpty -w shell "$2; echo REA''DY"
        zpty -r -m shell shown '*READY*'
        zpty -w -n shell "$3"$'\t\x01echo IS:\n'
        zpty -r -m shell shown "*IS:$4*" && print -r -- "$4"
        """#

    private static let lines: [(typed: String, completed: String)] = [
        ("accrec rec", "accrec record"),
        ("accrec record --on-d", "accrec record --on-disconnect"),
        ("accrec record --mode voi", "accrec record --mode voice-chat"),
        ("accrec record --encoding f6", "accrec record --encoding f64"),
        ("accrec record -d roo", "accrec record -d room.monitor"),
        ("accrec record --profile pod", "accrec record --profile podcast"),
        ("accrec record -o old", "accrec record -o oldtake.wav"),
        ("accrec devices --w", "accrec devices --watch"),
        ("accrec batch old", "accrec batch oldtakes.csv"),
    ]

    @Test(arguments: Shell.allCases)
    func theKeyCompletes(shell: Shell) async throws {
        try await PrivateServer.with(.pulseAudio) { server in
            try await server.loadNullSink("room")
            let directory = server.directory
            let script = try await AccrecProcess.run(["--generate-completion-script", shell.rawValue], on: nil)
            try script.standardOutput.write(to: directory.appending(path: shell.file))
            let configuration = directory.appending(path: ".config/accrec")
            try FileManager.default.createDirectory(at: configuration, withIntermediateDirectories: true)
            try Data("[profile.podcast]\n[profile.field]\n".utf8)
                .write(to: configuration.appending(path: "config.toml"))
            for file in ["oldtake.wav", "oldtakes.csv", "oldnotes.txt"] {
                try Data().write(to: directory.appending(path: file))
            }
            let programs = URL(filePath: try AccrecProcess.executable()).deletingLastPathComponent().path
            let environment = server.environment.merging([
                "PATH": "\(programs):\(server.environment["PATH"] ?? "")", "TERM": "xterm",
            ]) { $1 }
            for line in Self.lines {
                let result = try await ChildProcess.run(
                    ["zsh", "-f", "-c", Self.driver, "driver", shell.command, shell.setUp, line.typed, line.completed],
                    environment: environment, in: directory, within: 20)
                #expect(result.text == "\(line.completed)\n", "\(line.typed): \(result.standardError)")
            }
        }
    }

    /// What a shell asks for to complete a source.
    private static func requestForSource(_ options: [String] = []) -> [String] {
        let words = ["accrec", "record"] + options + ["-d", ""]
        return ["---completion", "record", "--", "--device", "\(words.count - 1)", "0"] + words
    }

    @Test func aServerThatDoesNotAnswerCompletesNothing() async throws {
        let shell = ["SAP_SHELL": "bash", "SAP_SHELL_VERSION": "5.2"]
        try await PrivateServer.with(.pulseAudio) { server in
            try await server.loadNullSink("room")
            let answered = try await AccrecProcess.run(Self.requestForSource(), on: server, environment: shell)
            #expect(answered.text.contains("room.monitor\n"))
            let variables = shell.merging(["PULSE_SERVER": "unix:/nonexistent/native"]) { $1 }
            for named in [["--server", server.address], ["--server=\(server.address)"]] {
                let elsewhere = try await AccrecProcess.run(
                    Self.requestForSource(named), on: server, environment: variables)
                #expect(elsewhere.text == answered.text)
            }
            server.signal(SIGSTOP)
            defer { server.signal(SIGCONT) }
            let stopped = try await AccrecProcess.run(Self.requestForSource(), on: server, environment: shell)
            let absent = try await AccrecProcess.run(Self.requestForSource(), on: nil, environment: shell)
            for result in [stopped, absent] {
                #expect(result.end == .exit(0))
                #expect(result.text.trimmingCharacters(in: .newlines).isEmpty)
                #expect(result.standardError.isEmpty)
            }
        }
    }
}
