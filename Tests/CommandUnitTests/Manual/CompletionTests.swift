import ArgumentParser
import Testing

@testable import AccrecCommands

/// What the scripts for shells offer, against the program's own definitions.
// The sanitisers make parsing slow, and it has one thread.
@Suite(.tags(.skipsThreadSanitizer, .skipsAddressSanitizer)) struct CompletionTests {
    private let commands: [CommandDump]

    init() throws {
        commands = try CommandDump.all()
    }

    @Test(arguments: [CompletionShell.bash, .zsh, .fish])
    func completionKnowsEachCommandAndOption(shell: CompletionShell) {
        let script = AccrecCommand.completionScript(for: shell)
        for command in commands {
            #expect(script.contains(command.commandName))
            for name in command.names where name.hasPrefix("-") {
                #expect(script.contains(shell == .fish ? "-l '\(name.dropFirst())'" : "-\(name)"), "\(name)")
            }
        }
    }

    @Test func valuesAreCompletedByWhatTheyAre() throws {
        for command in commands {
            for option in command.options {
                let (kind, name) = (option.completionKind, "\(command.commandName) \(option.name)")
                if let values = option.allValues { #expect(kind?.list?.values == values, "\(name)") }
                switch option.valueName {
                case "file", "place": #expect(kind?.file != nil, "\(name)")
                // The program is asked for names.
                case "source", "name": #expect(kind?.custom != nil, "\(name)")
                default: continue
                }
            }
        }
    }
}
