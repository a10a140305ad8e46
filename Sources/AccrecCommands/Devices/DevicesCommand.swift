import ACCAudioRecorder
import ArgumentParser
import Glibc

/// `accrec devices`: lists the available sources, or the applications that play.
struct DevicesCommand: AsyncParsableCommand, DefaultedCommand, HelpfulCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "List the sources and applications to record from.",
        discussion: """
            Each source is listed with its number and name, which 'accrec record --device' accepts, its description and \
            its format. '>' marks the source that 'accrec record' uses with the same options and configuration file, \
            and the last line says why; '*' marks the server's default. A monitor delivers what a sink plays.

            With --apps, each application that plays is listed with its name, its process ID and the titles of what it \
            plays, any of which 'accrec record --app' accepts. With --app, '>' marks what it would record.

            Several are recorded together: both sides of a call with 'accrec record call.flac --mic --desktop -c 1', two \
            microphones with 'accrec record -o 'table-{input}.flac' -d DESK -d LAMP'.
            """)

    static let shortHelp: String? = """
        Usage: accrec devices [<options>]

          -d, --device <source>    show what 'accrec record' uses with this
              --apps               the applications that play, instead of sources
              --app <name>         the same, and what this would record
              --watch              keep running and print each change
              --json               for programs

          accrec devices                  the sources, microphones first
          accrec devices --apps           the applications that play
          accrec record x.wav -d NAME     record one of them

        '>' marks what 'accrec record' uses, '*' the server's default.
        'accrec devices --help' lists all options.
        """

    static let examples: [(command: String, effect: String)] = [
        ("accrec devices", "the sources"), ("accrec devices --apps", "the applications that play"),
        ("accrec devices --watch", "each change"),
    ]

    @Flag(help: "List the applications that play, not the sources.")
    var apps = false

    @Flag(help: "Print a JSON array, or with --watch one object per line.")
    var json = false

    @Flag(help: "Keep running and print each change, until Ctrl-C.")
    var watch = false

    @OptionGroup(title: "Source") var source: SourceOptions
    @OptionGroup(title: "Defaults") var defaults: DefaultsOptions

    func run() async throws {
        guard !apps, !source.inputs.hasApplication else { return try await listApplications() }
        guard !watch else { return try await follow() }
        let list = try await ACCAudioRecorder.sourceList(for: configuration)
        if json {
            try StandardOutput.write(json: list.sources.map { DeviceTable.Record($0, in: list) })
        } else {
            try StandardOutput.write(lines: DeviceTable(list: list).lines)
        }
        if list.sources.isEmpty { StandardError.tell("the server has no sources. Plug in a microphone.") }
    }

    /// Prints changes until a signal ends it, with success, or the server goes away.
    private func follow() async throws {
        ProgramEnd.exitOnSignals(with: EXIT_SUCCESS)
        var last: SourceList?
        for try await list in ACCAudioRecorder.sourceListUpdates(for: configuration) {
            if let last {
                for change in list.changes(since: last) { try write(change, in: list) }
            } else {
                try write(first: list)
            }
            last = list
        }
    }

    /// The configuration of a recording, as far as it decides on the source.
    private var configuration: ACCAudioRecorder.Configuration {
        var configuration = ACCAudioRecorder.Configuration()
        source.apply(to: &configuration)
        return configuration
    }

    private func write(first list: SourceList) throws {
        if json {
            try StandardOutput.write(json: DeviceTable.WatchRecord(list))
        } else {
            try StandardOutput.write(lines: DeviceTable(list: list).lines)
        }
    }

    private func write(_ change: SourceListChange, in list: SourceList) throws {
        if json {
            try StandardOutput.write(json: DeviceTable.WatchRecord(change, in: list))
        } else {
            try StandardOutput.write(lines: ["\(TimeText.now()) \(change.text)"])
        }
    }
}

// MARK: - Applications

extension DevicesCommand {
    private func listApplications() async throws {
        guard !watch else { return try await followApplications() }
        let list = try await ACCAudioRecorder.applicationList(for: configuration)
        if json {
            try StandardOutput.write(json: list.applications)
        } else {
            try StandardOutput.write(lines: ApplicationTable(list: list).lines)
        }
        if list.applications.isEmpty {
            StandardError.tell("no application plays")
        } else if case .success([]) = list.choice, let name = source.inputs.app.first {
            StandardError.tell("'\(name)' plays nothing; a recording would wait for it")
        }
        if case .failure(let error) = list.choice { throw error }
    }

    /// Prints changes until a signal ends it, with success, or the server goes away.
    private func followApplications() async throws {
        ProgramEnd.exitOnSignals(with: EXIT_SUCCESS)
        var last: ApplicationList?
        for try await list in ACCAudioRecorder.applicationListUpdates(for: configuration) {
            if let last {
                for change in list.changes(since: last) { try write(change) }
            } else if json {
                try StandardOutput.write(json: ApplicationTable.WatchRecord(list))
            } else {
                try StandardOutput.write(lines: ApplicationTable(list: list).lines)
            }
            last = list
        }
    }

    private func write(_ change: ApplicationList.Change) throws {
        if json {
            try StandardOutput.write(json: ApplicationTable.WatchRecord(change))
        } else {
            try StandardOutput.write(lines: ["\(TimeText.now()) \(change.text)"])
        }
    }
}
