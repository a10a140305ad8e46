import ACCAudioRecorder
import ArgumentParser
import FoundationEssentials
import Glibc
import Synchronization

/// `accrec meter`: shows the levels of a source without recording.
struct MeterCommand: JobCommand, DefaultedCommand, HelpfulCommand {
    static let configuration = CommandConfiguration(
        commandName: "meter",
        abstract: "Show the levels of a source without recording.",
        discussion: """
            Use it to set the gain: aim for peaks between -18 and -6 dBFS. All channels of the source are shown. Ctrl-C \
            or q stops, and prints the highest levels. Without a terminal it prints a line every five seconds.
            """)

    static let shortHelp: String? = """
        Usage: accrec meter [<options>]

          -d, --device <source>    the source; 'accrec devices' lists them
              --app <name>         what this application plays
              --desktop            what the desktop plays
              --history            draw recent levels as well
              --loudness           show the loudness; the key l does, too
              --max <time>         stop after 60, 90s, 5m

          accrec meter                    aim for peaks from -18 to -6 dBFS
          accrec meter -d lark --history

        Ctrl-C or q stops. 'accrec meter --help' lists all options.
        """

    static let examples: [(command: String, effect: String)] = [
        ("accrec meter", "the microphone"), ("accrec meter --desktop", "what the desktop plays"),
        ("accrec meter -d lark -d snowball", "two microphones"),
    ]

    @OptionGroup(title: "Source") var source: SourceOptions

    @Flag(help: "Also show a scrolling graph of recent levels.")
    var history = false

    @Flag(help: "Show the loudness from the beginning; the key l shows and hides it.")
    var loudness = false

    @Flag(
        help:
            "Print the --delay by which several sources are exactly together, from a sound that reaches all: a clap.")
    var calibrate = false

    @Option(
        name: [.customLong("max"), .customLong("duration")],
        help: ArgumentHelp("Stop after this time: 60, 2.5, 90s, 5m.", valueName: "time"),
        transform: RecordingLength.parse)
    var longest: RecordingLength?

    @OptionGroup var colors: DisplayOptions.Colors
    @OptionGroup(title: "Defaults") var defaults: DefaultsOptions

    func validate() throws {
        guard calibrate else { return }
        guard source.inputs.inputs.count > 1, source.inputs.layout == .tracks else {
            throw ValidationError("--calibrate needs several sources, as tracks")
        }
    }

    func run(behind link: TerminalSupervisor.JobLink?) async throws {
        var configuration = ACCAudioRecorder.Configuration()
        (configuration.format, configuration.interruptions.onCall) = (.native, .ignore)
        source.apply(to: &configuration)
        if history, !StandardError.canShowMeter { DisplayOptions.tellMissingGraph() }
        let calibration = calibrate ? Calibration() : nil
        let limit = calibrate ? min(longest?.seconds ?? .infinity, Calibration.longest) : longest?.seconds
        var recording = RecordingRun(
            configuration: configuration, outputs: [], limit: limit,
            mode: StandardError.canShowMeter ? .meter : .progress, style: colors.style,
            readsKeys: isatty(STDIN_FILENO) == 1, isVerbose: false, inhibitsSleep: false,
            graph: history ? LevelGraph() : nil, showsLoudness: loudness)
        if let calibration { recording.listener = { calibration.hear($0) } }
        let result = try await recording.run(behind: link, by: JobSignals(link: link, endsOnHangUp: true))
        guard let report = result?.report else { return }
        StandardError.write(lines: ReportText(report: report, glyphs: colors.style.glyphs).levels)
        if case .failed(let error) = report.ending {
            StandardError.tell(ErrorText.lines(error))
            throw ExitCode(error)
        }
        if let calibration {
            try StandardOutput.write(lines: [calibration.options(for: report.inputs).joined(separator: " ")])
        }
    }
}

/// Tells by which `--delay` several sources are exactly together, from a sound that has reached all of them.
final class Calibration: Sendable {
    /// How long it listens at most, in seconds.
    static let longest = 30.0

    /// Interleaved, of all sources.
    private let samples = Mutex<(all: [Float], sampleRate: Double, channelCount: Int)>(([], 0, 0))

    /// Keeps a buffer.
    func hear(_ buffer: AudioBufferData) {
        samples.withLock { samples in
            (samples.sampleRate, samples.channelCount) = (buffer.sampleRate, Int(buffer.channelCount))
            buffer.data.withUnsafeBytes { samples.all += $0.bindMemory(to: Float.self) }
        }
    }

    /// The options, `--delay lark=-12.31ms`, one for each source that is not the first.
    ///
    /// - Throws: `RunFailure` if a source did not hear what the first one did.
    func options(for inputs: [RecordedInput]) throws -> [String] {
        let heard = samples.withLock { $0 }
        let tracks = inputs.map { input -> [Float] in
            let channels = input.channels.map { $0 - 1 }
            return stride(from: 0, to: heard.all.count, by: max(heard.channelCount, 1)).map { frame in
                channels.reduce(0) { $0 + heard.all[frame + $1] }
            }
        }
        return try zip(inputs, tracks).compactMap { input, track throws(RunFailure) -> String? in
            if input.name == inputs[0].name {
                return input.delay == .zero ? nil : Self.option(input, input.delay.seconds)
            }
            guard
                let offset = SoundOffset.seconds(of: track, behind: tracks[0], sampleRate: heard.sampleRate)
            else {
                throw RunFailure(
                    "cannot tell the delay of '\(input.name)'", "it has not heard what '\(inputs[0].name)' has",
                    "Make a sound that reaches all sources, such as a clap.")
            }
            return Self.option(input, input.delay.seconds - offset)
        }
    }

    private static func option(_ input: RecordedInput, _ delay: Double) -> String {
        // Hundredths of a millisecond.
        "--delay \(input.name)=\((delay * 1e5).rounded() / 100)ms"
    }
}
