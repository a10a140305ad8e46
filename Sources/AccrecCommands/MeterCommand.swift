import ACCAudioRecorder
import ArgumentParser
import Glibc

/// `accrec meter`: the levels of a source, and nothing recorded.
struct MeterCommand: JobCommand, DefaultedCommand {
    static let configuration = CommandConfiguration(
        commandName: "meter",
        abstract: "Show the levels of a source without recording, to set its gain.",
        discussion: """
            All channels are shown as the source has them. Aim for peaks between -18 and -6 dBFS. Ctrl-C or q ends; \
            the highest levels are told then. Without a terminal there is a line every five seconds.
            """)

    @OptionGroup(title: "Source") var source: SourceOptions

    @Flag(help: "Also draw the levels of the last while, as a graph that moves to the left.")
    var history = false

    @Option(
        name: .customLong("max"), help: ArgumentHelp("End after this long: 60, 2.5, 90s, 5m.", valueName: "time"),
        transform: TakeLength.parse)
    var longest: TakeLength?

    @Option(help: "Whether there are colours; 'auto' heeds NO_COLOR.")
    var color: ColorChoice = .auto

    @OptionGroup(title: "Defaults") var defaults: DefaultsOptions

    func run(behind link: FrontLink?) async throws {
        let take = TakeRun(
            configuration: ACCAudioRecorder.Configuration(
                native: [.sampleRate, .channelCount],
                selectedChannels: source.select?.numbers ?? [], channelMap: source.channelMap,
                sourceName: source.device, serverName: source.server.name,
                interruptions: InterruptionPolicy(onCall: .ignore, followsDefault: source.followDefault),
                allowsBluetooth: source.allowBluetooth, allowsMonitor: source.allowMonitor),
            outputs: [], limit: longest, mode: StandardError.canShowMeter ? .meter : .progress,
            style: TerminalStyle(color: color),
            readsKeys: isatty(STDIN_FILENO) == 1, isGreeted: false,
            inhibitsSleep: false, graph: history ? LevelGraph() : nil)
        let (report, _) = try await take.run(behind: link, by: JobSignals(link: link, heedsHangUp: true))
        guard let report else { return }
        StandardError.write(lines: ReportText(report: report).levels)
        if case .failed(let error) = report.ending {
            StandardError.write("accrec: \(error)\n")
            throw ExitCode(error)
        }
    }
}
