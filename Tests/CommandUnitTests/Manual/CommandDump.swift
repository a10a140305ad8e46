import ArgumentParser
import Foundation

@testable import AccrecCommands

/// What the parser knows of a command, as it tells it to programs.
struct CommandDump: Decodable {
    let commandName: String
    private let arguments: [Argument]?
    private let subcommands: [CommandDump]?

    /// The commands, without the parser's own.
    static func all() throws -> [CommandDump] {
        var dump = ""
        do {
            _ = try AccrecCommand.parse(["--experimental-dump-help"])
        } catch {
            dump = AccrecCommand.fullMessage(for: error)
        }
        let root = try JSONDecoder().decode(Root.self, from: Data(dump.utf8)).command
        return (root.subcommands ?? []).filter { $0.commandName != "help" }
    }

    private struct Root: Decodable {
        let command: CommandDump
    }

    /// The options but for those that every command has, and for former names, which help does not show. What turns one off is
    /// another.
    var options: [Argument] {
        (arguments ?? []).filter {
            $0.shouldDisplay && !$0.marks.isEmpty && Set($0.marks).isDisjoint(with: ["-help", "-version", "h"])
        }
    }

    /// The former names of options, which still work.
    var formerNames: Set<String> { Set((arguments ?? []).filter { !$0.shouldDisplay }.flatMap(\.marks)) }

    /// All names of the options, as in the manual: `-rate`, `r`.
    var names: Set<String> { Set(options.flatMap(\.marks)) }

    /// The options as entries of the manual have them: `r , -rate Ar hertz`, `-dither , -no-dither`.
    var forms: Set<String> {
        let flags = Set(options.filter(\.isFlag).map(\.name))
        let inverses = Set(flags.map { "-no\($0)" }).intersection(flags)
        return Set(
            options.filter { !inverses.contains($0.name) }.map { option in
                let inverse = option.isFlag ? inverses.filter { $0 == "-no\(option.name)" } : []
                return (option.marks + inverse).joined(separator: " , ")
                    + (option.isFlag ? "" : " Ar \(option.valueName)")
            })
    }

    /// An option or a positional argument.
    struct Argument: Decodable {
        private let kind: String
        fileprivate let shouldDisplay: Bool
        let valueName: String
        let isRepeating: Bool
        let abstract: String?
        /// What `--help` lists as its values.
        let allValues: [String]?
        let completionKind: CompletionKind?
        private let names: [Name]?

        /// The names as the manual page has them after its marker of options, letters first; empty for what is no option.
        var marks: [String] {
            let marks = (names ?? []).map { $0.kind == "long" ? "-\($0.name)" : $0.name }
            return marks.filter { !$0.hasPrefix("-") } + marks.filter { $0.hasPrefix("-") }
        }

        var isFlag: Bool { kind == "flag" }

        /// The first long name.
        var name: String { marks.first { $0.hasPrefix("-") } ?? marks.last ?? "" }
    }

    struct Name: Decodable {
        let kind: String
        let name: String
    }

    /// How a shell completes a value.
    struct CompletionKind: Decodable {
        let list: List?
        let file: Extensions?
        let custom: Custom?

        struct List: Decodable { let values: [String] }
        struct Extensions: Decodable { let extensions: [String] }
        struct Custom: Decodable {}
    }
}
