import Foundation
import TestSupport
import Testing

/// The manual page against the commands' own definitions.
@Suite struct ManualTests {
    /// What the parser knows of a command, as it tells it to programs.
    private struct Dump: Decodable {
        let command: Command
    }

    private struct Command: Decodable {
        let commandName: String
        let arguments: [Argument]?
        let subcommands: [Command]?

        /// The long names of its options, but for those that every command has.
        var options: Set<String> {
            let names = (arguments ?? []).flatMap { $0.names ?? [] }
            return Set(names.filter { $0.kind == "long" }.map(\.name)).subtracting(["help", "version"])
        }
    }

    private struct Argument: Decodable {
        let names: [Name]?
    }

    private struct Name: Decodable {
        let kind: String
        let name: String
    }

    private func commands() async throws -> [Command] {
        let dump = try await AccrecProcess.run(["--experimental-dump-help"], on: nil).standardOutput
        let commands = try #require(try JSONDecoder().decode(Dump.self, from: dump).command.subcommands)
        return commands.filter { $0.commandName != "help" }
    }

    @Test func eachCommandHasItsOptionsAndNoOthers() async throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../man/accrec.1")
        let sections = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n.Ss ")
        let commands = try await commands()
        let record = try #require(commands.first { $0.commandName == "record" }).options
        for command in commands {
            let title = "accrec \(command.commandName)\n"
            let section = try #require(sections.first { $0.hasPrefix(title) }, "\(title)")
            let items = section.split(separator: "\n").filter { $0.hasPrefix(".It Fl ") }
            let documented = Set(items.flatMap { $0.matches(of: #/ -([a-z-]+)/#).map { String($0.1) } })
            // What a command shares with record is told there.
            let shared = command.commandName == "record" ? [] : record
            #expect(documented.union(shared.intersection(command.options)) == command.options, "\(title)")
        }
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func completionKnowsEachOption(shell: String) async throws {
        let script = try await AccrecProcess.run(["--generate-completion-script", shell], on: nil).text
        for option in try await commands().flatMap(\.options) {
            #expect(script.contains(option), "\(option)")
        }
    }
}
