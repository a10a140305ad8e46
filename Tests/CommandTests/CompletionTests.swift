import Foundation
import TestSupport
import Testing

/// What the tab key does in real shells.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct CompletionTests {
    enum Shell: String, CaseIterable {
        case bash, zsh, fish

        /// Starts it without the user's settings.
        var command: String {
            switch self {
            case .bash: "bash --norc --noprofile -i"
            case .zsh: "zsh -f -i"
            case .fish: "fish --no-config -i"
            }
        }

        /// The name of its script within a directory.
        var file: String { self == .zsh ? "_accrec" : "accrec.\(rawValue)" }

        /// Loads the script.
        var setUp: String {
            self == .zsh ? "fpath=($PWD $fpath); autoload -Uz compinit; compinit -u -D" : "source $PWD/\(file)"
        }
    }

    /// Types a line and the tab key into a shell on a terminal of its own, then has the shell print the resulting line.
    /// If the line is wrong, the driver is killed at the deadline.
    private static let driver = #"""
        zmodload zsh/zpty
        zpty shell $1
        zpty -w shell "$2; echo REA''DY"
        zpty -r -m shell shown '*READY*'
        zpty -w -n shell "$3"$'\t\x01echo IS:\n'
        zpty -r -m shell shown "*IS:${(b)4}*" && print -r -- "$4"
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
        try await PrivateServer.withRoom(.pulseAudio) { server in
            let directory = server.directory
            try await prepare(directory, for: shell, configuration: "[profile.podcast]\n[profile.field]\n")
            for file in ["oldtake.wav", "oldtakes.csv", "oldnotes.txt"] { try server.write("", to: file) }
            let environment = try AccrecProcess.inPath(of: server.environment)
            for line in Self.lines {
                try await expect(line.typed, line.completed, in: shell, directory, environment)
            }
        }
    }

    /// Writes the shell's script and a configuration.
    private func prepare(_ directory: URL, for shell: Shell, configuration: String) async throws {
        let script = try await AccrecProcess.run(["--generate-completion-script", shell.rawValue], on: nil)
        try script.standardOutput.write(to: directory.appending(path: shell.file))
        let place = directory.appending(path: ".config/accrec")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        try Data(configuration.utf8).write(to: place.appending(path: "config.toml"))
    }

    private func expect(
        _ typed: String, _ completed: String, in shell: Shell, _ directory: URL, _ environment: [String: String]
    ) async throws {
        let result = try await ChildProcess.run(
            ["zsh", "-f", "-c", Self.driver, "driver", shell.command, shell.setUp, typed, completed],
            environment: environment.merging(["TERM": "xterm"]) { $1 }, in: directory, within: 20)
        #expect(result.text == "\(completed)\n", "\(typed): \(result.standardError)")
    }

    /// Profile names that a shell would expand, split or hide, with what is typed and the completed line as the shell
    /// would run it.
    private static let names: [(typed: String, name: String)] = [
        ("q", "q$(touch${IFS}x)"), (#"q\$\(t"#, "q$(touch${IFS}x)"), ("t", "tick`touch${IFS}y`"), ("My", "My Mic"),
        (#"My\ M"#, "My Mic"), ("back", #"back\slash"#), ("it", "it's"), ("say", #"say "hi""#),
        ("alsa:card:1", "alsa:card:12"),
    ]

    @Test(
        "Names are treated as data: nothing in them is executed, and they arrive unchanged", arguments: Shell.allCases)
    func namesAreData(shell: Shell) async throws {
        try await TemporaryDirectory.with { directory in
            let hidden = #"[profile."quiet\u001b[2Jname"]"#
            let profiles = Set(Self.names.map(\.name)).map { name in
                let quoted = name.replacing("\\", with: #"\\"#).replacing("\"", with: #"\""#)
                return "[profile.\"\(quoted)\"]\n"
            }
            let configuration = profiles.joined() + "[profile.'alsa:card:0']\n" + hidden
            try await prepare(directory, for: shell, configuration: configuration)
            let environment = try AccrecProcess.inPath(of: ChildProcess.baseEnvironment)
                .merging(["HOME": directory.path]) { $1 }
            for name in Self.names {
                try await expect(
                    "accrec record --profile \(name.typed)", "accrec record --profile \(name.name)", in: shell,
                    directory,
                    environment)
            }
            // The other profile with this prefix is not printable and not offered, so this one is unique.
            try await expect(
                "accrec record --profile q", "accrec record --profile q$(touch${IFS}x)", in: shell, directory,
                environment)
            let files = try FileManager.default.contentsOfDirectory(atPath: directory.path)
            #expect(!files.contains("x") && !files.contains("y"))
        }
    }

    /// The arguments with which a shell requests completions for a source.
    private static func requestForSource(_ options: [String] = []) -> [String] {
        let words = ["accrec", "record"] + options + ["-d", ""]
        return ["---completion", "record", "--", "--device", "\(words.count - 1)", "0"] + words
    }

    @Test func unresponsiveServerCompletesNothing() async throws {
        let shell = ["SAP_SHELL": "bash", "SAP_SHELL_VERSION": "5.2"]
        try await PrivateServer.withRoom(.pulseAudio) { server in
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
