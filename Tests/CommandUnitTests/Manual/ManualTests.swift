import ArgumentParser
import Foundation
import TestSupport
import Testing

@testable import ACCAudioRecorder
@testable import AccrecCommands

/// The manual page, help, completions and the README against the program's own definitions.
// The sanitisers make parsing slow, and it has one thread.
@Suite(.tags(.skipsThreadSanitizer, .skipsAddressSanitizer)) struct ManualTests {
    /// What the parser knows of a command, as it tells it to programs.
    private struct Dump: Decodable {
        let command: Command
    }

    private struct Command: Decodable {
        let commandName: String
        let arguments: [Argument]?
        let subcommands: [Command]?

        /// The options but for those that every command has, each with all of its names. What is no option has none.
        var options: [Set<String>] {
            let options = (arguments ?? []).map { Set(($0.names ?? []).map(\.marked)) }
            return options.filter { !$0.isEmpty && $0.isDisjoint(with: ["-help", "-version", "h"]) }
        }

        var names: Set<String> { Set(options.joined()) }
    }

    private struct Argument: Decodable {
        let names: [Name]?
    }

    private struct Name: Decodable {
        let kind: String
        let name: String

        /// As the manual page has it after its marker of options.
        var marked: String { kind == "long" ? "-\(name)" : name }
    }

    private let page: ManualPage
    private let commands: [Command]
    /// What help says of each command.
    private let helps = Dictionary(
        uniqueKeysWithValues: AccrecCommand.configuration.subcommands.map {
            ($0.configuration.commandName ?? "", $0.helpMessage())
        })
    /// What `config` takes of `record`, where that is told.
    private let shared: Set<String>

    init() throws {
        page = try ManualPage()
        var dump = ""
        do {
            _ = try AccrecCommand.parse(["--experimental-dump-help"])
        } catch {
            dump = AccrecCommand.fullMessage(for: error)
        }
        let root = try JSONDecoder().decode(Dump.self, from: Data(dump.utf8)).command
        commands = (root.subcommands ?? []).filter { $0.commandName != "help" }
        shared = try #require(commands.first { $0.commandName == "record" }).names
    }

    @Test func thePageHasEachCommandAndNoOthers() {
        let names = Set(commands.map(\.commandName))
        let sections = page.titles.filter { $0.hasPrefix("accrec ") }.map { String($0.dropFirst("accrec ".count)) }
        #expect(Set(sections) == names)
        #expect(Set(page.synopsis.keys) == names.union(["help"]))
    }

    @Test func eachCommandHasItsOptionsAndNoOthers() throws {
        for command in commands {
            let section = try #require(page.section("accrec \(command.commandName)"))
            let items = section.split(separator: "\n").filter { $0.hasPrefix(".It Fl ") }
            let documented = ManualPage.options(in: items.joined(separator: "\n"))
            let elsewhere = command.commandName == "record" ? [] : shared.intersection(command.names)
            #expect(documented.union(elsewhere) == command.names, "\(command.commandName)")
        }
    }

    @Test func theSynopsisHasOptionsThatExist() throws {
        for command in commands {
            let form = try #require(page.synopsis[command.commandName])
            #expect(ManualPage.options(in: form).isSubset(of: command.names), "\(command.commandName)")
        }
    }

    @Test func whatIsNamedAnywhereExists() throws {
        let known = Set(commands.flatMap(\.names)).union(["-help", "-version"])
        for text in helps.values {
            let named = text.matches(of: #/[^a-z-]-(-[a-z][a-z-]+)/#).map { String($0.1) }
            #expect(Set(named).isSubset(of: known), "\(Set(named).subtracting(known))")
        }
        for title in page.titles {
            let named = ManualPage.options(in: try #require(page.section(title)).replacing("Fl -no-\n", with: ""))
            #expect(named.isSubset(of: known), "\(title): \(named.subtracting(known))")
        }
    }

    @Test func helpHasEachOption() throws {
        for command in commands {
            let help = try #require(helps[command.commandName])
            for name in command.names { #expect(help.contains("-\(name)"), "\(command.commandName): \(name)") }
        }
    }

    @Test func theChangelogBeginsWithThisVersion() throws {
        let file = Project.file("CHANGELOG.md")
        let heading = try String(contentsOf: file, encoding: .utf8).firstMatch(of: /\n## \[(.+)\] - 20\d\d-\d\d-\d\d\n/)
        #expect(heading?.1 == ACCAudioRecorder.version[...])
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

    @Test func thePageHasEachExitStatusAndNoOthers() throws {
        let section = try #require(page.section("EXIT STATUS"))
        let items = section.matches(of: #/(?m)^\.It (.+)$/#).map { String($0.1) }
        #expect(Set(items) == Set(ExitStatus.allCases.map { "\($0.rawValue)" } + ["128 + signal"]))
        #expect(ExitStatus.usage.rawValue == ExitCode.validationFailure.rawValue)
    }

    @Test func thePageHasEachVariableOfTheEnvironmentAndNoOthers() throws {
        // Not for users: one goes between the program's own processes, one is a sandbox's.
        let commands = EnvironmentVariable.allCases.filter { $0 != .supervisor }.map(\.rawValue)
        let library = RecorderVariable.allCases.filter { $0 != .snap }.map(\.rawValue)
        let known = Set(commands + library)
        let items = try #require(page.section("ENVIRONMENT")).matches(of: #/(?m)^\.It Ev (.+)$/#)
        #expect(Set(items.flatMap { String($0.1).components(separatedBy: " , ") }) == known)
    }

    @Test func thePageHasEachKeyOfATakeAndNoOthers() throws {
        let section = try #require(page.section("Keys"))
        let items = section.matches(of: #/(?m)^\.It Ic (?:\\&)?(.+)$/#).map { String($0.1) }
        let shown = KeyLines(.made(channels: 1)).lines(columns: 1000).map(\.text).joined(separator: "  ")
        #expect(Set(items) == Set(shown.components(separatedBy: "  ").map { String($0.prefix { $0 != " " }) }))
        let known = Key.keys(in: (1...127).filter { $0 != 0x1B })
        let documented = items.map { Key.keys(in: [$0 == "space" ? UInt8(ascii: " ") : Array($0.utf8)[0]])[0] }
        // Those that answer a question or start a take that waits are described with these.
        for key in known where ![.other, .yes, .current, .start].contains(key) {
            #expect(documented.contains(key), "\(key)")
        }
        #expect(!documented.contains(.other))
    }

    @Test func thePageHasEachKeyOfTheFormatsJSONAndNoOthers() throws {
        let section = try #require(page.section("accrec formats"))
        let items = section.split(separator: "\n").filter { $0.hasPrefix(".It Ic ") }
        let documented = Set(items.flatMap { $0.matches(of: #/Ic ([a-z_]+)/#).map { String($0.1) } })
        let records = try Container.allCases.map { try JSONText.line(FormatRecord($0)) }.joined()
        #expect(documented == Set(records.matches(of: #/"([a-z_]+)":/#).map { String($0.1) }))
    }

    @Test func thePageHasEachFormatAndWhatItTakes() throws {
        let rows = try #require(page.section("Formats")).matches(of: #/(?m)^\.It (.+ Ta .+)$/#).dropFirst()
        let cells = rows.map { $0.1.components(separatedBy: " Ta ") }
        let formats = Container.allCases.map { container in
            let encodings = container.encodings.map(\.rawValue).joined(separator: " ")
            let extensions = container.fileExtensions.map { ".\($0)" }.joined(separator: " ")
            return [
                container.rawValue, extensions, container.isLossy ? "lossy" : encodings,
                "\(container.channelCounts.upperBound)",
            ]
        }
        #expect(cells == formats)
    }

    @Test func thePageHasEachKeyOfTheConfigurationsJSONAndNoOthers() throws {
        let option = try #require(try OptionDefinition.all(of: TakeOptions.self).first)
        let setting = Setting(option: option, value: nil, origin: .builtIn)
        let keys = Mirror(reflecting: SettingRecord(setting)).children.compactMap(\.label)
        let section = try #require(page.section("accrec config"))
        let items = section.split(separator: "\n").filter { $0.hasPrefix(".It Ic ") }
        #expect(Set(items.flatMap { $0.matches(of: #/Ic ([a-z_]+)/#).map { String($0.1) } }) == Set(keys))
    }

    @Test func thePageHasEachKeyOfAManifestAndOfItsResultsAndNoOthers() throws {
        let section = try #require(page.section("accrec batch"))
        let lines = section.split(separator: "\n").filter { $0.hasPrefix(".It ") }
        func keys(_ marker: String) -> Set<String> {
            let marked = lines.filter { $0.hasPrefix(".It \(marker) ") }.map { $0.dropFirst(".It \(marker) ".count) }
            return Set(marked.flatMap { $0.components(separatedBy: " , ") })
        }
        #expect(keys("Ic") == Set(ManifestKeys.Own.allCases.map(\.rawValue)))
        let take = BatchTake(
            line: 1, repetition: 1, configuration: .init(), outputs: [], duration: nil, endsByKey: true, prompt: "")
        let record = ResultRecord(take, of: 1, TakeOutcome(status: .failed, message: ""), attempts: 1)
        #expect(keys("Li") == Set(Mirror(reflecting: record).children.compactMap(\.label)))
        for status in ResultRecord.Status.allCases { #expect(section.contains(".Ql \(status.rawValue) ")) }
    }

    @Test func thePageHasEachKeyOfAPromptAndNoOthers() throws {
        let section = try #require(page.section("accrec batch"))
        let items = section.matches(of: #/(?m)^\.It (space, Enter|[a-z])$/#).map { String($0.1) }
        let documented = items.flatMap { PromptKey.keys(in: Array($0 == "space, Enter" ? " \n".utf8 : $0.utf8)) }
        #expect(Set(documented.map { "\($0)" }) == Set(PromptKey.allCases.filter { $0 != .other }.map { "\($0)" }))
    }
}
