import ACCAudioRecorder
import ArgumentParser

/// `accrec config`: what a take would be made with, and where that comes from.
struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Show what is in force for a take, and where it comes from.",
        discussion: """
            For each option that may have a default: its value, or '-' where it has none, and who decides it. An option \
            on the command line goes before the profile, the profile before the rest of the configuration file, that \
            before the mode, and the mode before what is built in. With the options of 'accrec record' it shows what \
            that would take.
            """)

    @Flag(help: "Print one JSON array, with an object for each option.")
    var json = false

    @OptionGroup(title: "Defaults") var defaults: DefaultsOptions
    @OptionGroup var take: TakeOptions

    func run() throws {
        let settings = try settings()
        print(
            json ? try JSONText.line(settings.map(SettingRecord.init)) : SettingTable(settings: settings).text,
            terminator: "")
        if defaults.file == nil, !defaults.isWithoutFile, let path = DefaultsOptions.userFile {
            StandardError.write("accrec: there is no \(path).\n")
        }
    }

    private func settings() throws -> [Setting] {
        let arguments = Array(CommandLine.arguments.dropFirst(2))
        let inForce = try SettingsInForce(arguments: arguments, defaults: defaults, for: Self.self)
        let mode = try Self.parse(inForce.arguments).take.decidedByMode
        return try OptionDefinition.all(of: TakeOptions.self).map { option in
            if let setting = inForce.settings.last(where: { $0.option == option }) { return setting }
            if let value = mode[option.name] { return Setting(option: option, value: value, origin: .mode) }
            return Setting(option: option, value: option.defaultValue, origin: .builtIn)
        }
    }
}
