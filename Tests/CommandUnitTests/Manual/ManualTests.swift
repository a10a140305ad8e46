import ArgumentParser
import Foundation
import TestSupport
import Testing

@testable import ACCAudioRecorder
@testable import AccrecCommands

/// The manual page and help against the program's own definitions.
// The sanitisers make parsing slow, and it has one thread.
@Suite(.tags(.skipsThreadSanitizer, .skipsAddressSanitizer)) struct ManualTests {
    private let page: ManualPage
    private let commands: [CommandDump]
    /// What help says of each command.
    private let helps = Dictionary(
        uniqueKeysWithValues: AccrecCommand.configuration.subcommands.map {
            ($0.configuration.commandName ?? "", $0.helpMessage())
        })
    /// Of these, other commands need not tell those that they have, too.
    private let record: CommandDump

    init() throws {
        page = try ManualPage()
        commands = try CommandDump.all()
        record = try #require(commands.first { $0.commandName == "record" })
    }

    @Test func thePageHasEachCommandAndNoOthers() {
        let names = Set(commands.map(\.commandName))
        let sections = page.titles.filter { $0.hasPrefix("accrec ") }.map { String($0.dropFirst("accrec ".count)) }
        #expect(Set(sections) == names)
        #expect(Set(page.synopsis.keys) == names.union(["help"]))
    }

    @Test func eachCommandHasItsOptionsWithTheirValuesAndNoOthers() throws {
        for command in commands {
            let section = try #require(page.section("accrec \(command.commandName)"))
            let items = Set(ManualPage.optionItems(in: section))
            let forms = command.forms
            let elsewhere = command.commandName == "record" ? [] : record.forms
            #expect(forms.subtracting(elsewhere).subtracting(items) == [], "\(command.commandName)")
            #expect(items.subtracting(forms) == [], "\(command.commandName)")
        }
    }

    @Test func thePageAndHelpNameTheOptionsThatMayRepeat() throws {
        let repeating = Set(record.options.filter(\.isRepeating).map(\.name))
        let section = try #require(page.section("accrec record"))
        let sentence = try #require(section.firstMatch(of: #/Only\n((?:.+\n)+?)may be given more than once/#))
        #expect(ManualPage.options(in: sentence.1) == repeating)
        let told = record.options.filter { $0.abstract?.lowercased().contains("may be repeated") == true }
        #expect(Set(told.map(\.name)) == repeating)
    }

    @Test func theSynopsisHasOptionsThatExist() throws {
        for command in commands {
            let form = try #require(page.synopsis[command.commandName])
            #expect(ManualPage.options(in: form).isSubset(of: command.names), "\(command.commandName)")
        }
    }

    @Test func whatIsNamedAnywhereExists() throws {
        let known = Set(commands.flatMap { $0.names.union($0.formerNames) }).union(["-help", "-version"])
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

    @Test func thePageHasEachExitStatusAndNoOthers() throws {
        let section = try #require(page.section("EXIT STATUS"))
        let items = section.matches(of: #/(?m)^\.It (.+)$/#).map { String($0.1) }
        #expect(Set(items) == Set(ExitStatus.allCases.map { "\($0.rawValue)" } + ["128 + signal"]))
        #expect(ExitStatus.usage.rawValue == ExitCode.validationFailure.rawValue)
    }

    @Test func thePageHasEachVariableOfTheEnvironmentAndNoOthers() throws {
        // Not for users: one goes between the program's own processes, one is a sandbox's.
        let commands = Environment.Variable.allCases.filter { $0 != .supervisor }.map(\.rawValue)
        let library = RecorderVariable.allCases.filter { $0 != .snap }.map(\.rawValue)
        let known = Set(commands + library)
        let items = try #require(page.section("ENVIRONMENT")).matches(of: #/(?m)^\.It Ev (.+)$/#)
        #expect(Set(items.flatMap { String($0.1).components(separatedBy: " , ") }) == known)
    }

    @Test func thePageHasEachKeyOfATakeAndNoOthers() throws {
        let section = try #require(page.section("Keys"))
        let items = section.matches(of: #/(?m)^\.It Ic (?:\\&)?(.+)$/#).map { String($0.1) }
        let shown = MeterFrame.KeyLines(.made(channels: 1)).lines(columns: 1000).map(\.text).joined(separator: "  ")
        #expect(Set(items) == Set(shown.components(separatedBy: "  ").map { String($0.prefix { $0 != " " }) }))
        let keys = RecordingStatus.made(channels: 1).keys
        let known = KeyPress.presses(in: (1...127).filter { $0 != 0x1B }).compactMap { keys[$0] }
        let documented = items.map { keys[KeyPress(stringLiteral: $0 == "space" ? " " : $0)] }
        for action in known { #expect(documented.contains(action), "\(action)") }
        #expect(!documented.contains(nil))
    }

    @Test func thePageHasEachKeyOfTheFormatsJSONAndNoOthers() throws {
        let section = try #require(page.section("accrec formats"))
        let items = section.split(separator: "\n").filter { $0.hasPrefix(".It Ic ") }
        let documented = Set(items.flatMap { $0.matches(of: #/Ic ([a-z_]+)/#).map { String($0.1) } })
        let records = try Container.allCases.map { try JSONText.line(FormatsCommand.Record($0)) }.joined()
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
        let option = try #require(try OptionDefinition.all(of: RecordingOptions.self).first)
        let setting = Setting(option: option, value: nil, origin: .builtIn)
        let keys = Mirror(reflecting: ConfigCommand.Record(setting)).children.compactMap(\.label)
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
        #expect(keys("Ic") == Set(Manifest.Keys.Own.allCases.map(\.rawValue)))
        let take = BatchTake(
            line: 1, repetition: 1, settings: .init(.init(), outputs: []), outputs: [], duration: nil, endsByKey: true,
            prompt: "")
        let record = ResultRecord(take, of: 1, BatchTake.Outcome(status: .failed, message: ""), attempts: 1)
        #expect(keys("Li") == Set(Mirror(reflecting: record).children.compactMap(\.label)))
        for status in ResultRecord.Status.allCases { #expect(section.contains(".Ql \(status.rawValue) ")) }
    }

    @Test func thePageAndTheSchemaHaveEachKindOfFindingAndNoOthers() throws {
        let section = try #require(page.section("accrec check"))
        let items = section.matches(of: #/(?m)^\.It Li (.+)$/#).map { String($0.1) }
        #expect(Set(items) == Set(FileCheck.kinds))
        let schema = try String(contentsOf: Project.file("schemas/check-1.json"), encoding: .utf8)
        let kinds = try #require(schema.firstMatch(of: #/"enum": \[([^\]]*)\]/#)).1.matches(of: #/"([a-z_]+)"/#)
        #expect(Set(kinds.map { String($0.1) }) == Set(FileCheck.kinds))
    }

    @Test func thePageHasEachKeyOfAPromptAndNoOthers() throws {
        let section = try #require(page.section("accrec batch"))
        let items = section.matches(of: #/(?m)^\.It (space, Enter|[a-z]|\\&\?)$/#).map {
            String($0.1).replacing("\\&", with: "")
        }
        let documented = items.flatMap { KeyPress.presses(in: Array($0 == "space, Enter" ? " \n\r".utf8 : $0.utf8)) }
        let known = KeyPress.presses(in: (1...127).filter { $0 != 0x1B }).filter { press in
            [.waiting, .recording, .done, .repeating].contains { (phase: PromptMachine.Phase) in
                phase.keys[press] != nil
            }
        }
        #expect(Set(documented) == Set(known))
    }
}
