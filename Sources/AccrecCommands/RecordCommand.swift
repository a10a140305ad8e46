import ACCAudioRecorder
import ArgumentParser
import Glibc

/// `accrec record`: one take, from a source to a file or to standard output.
struct RecordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Record a take to a file or to standard output.",
        discussion: """
            The take ends at --max, or cleanly with Ctrl-C or SIGTERM; either way every frame until then is in it. \
            The source is captured in its own format and converted afterwards, once. Where rate, channels and \
            encoding are the source's own, the file holds its samples bit for bit.

            Without --device the source is what PULSE_SOURCE names, or else the server's default, unless that is a \
            monitor, Bluetooth, or not plugged in; then the best of the others, which 'accrec devices' shows. \
            PULSE_SERVER says where the server is.
            """)

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "The file to create, .wav, .flac or .raw; '-' for raw samples to standard output.", valueName: "file"))
    var output: String

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "Frames a second, 8000 to 384000, or 'native'. (default: the mode's, 44100)", valueName: "hertz"),
        transform: { try NumberOrNative($0, in: 8_000...384_000) })
    var rate: NumberOrNative?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "Channels, 1 to 32, or 'native'. (default: as many as are selected, or the mode's, 1)", valueName: "count"),
        transform: { try NumberOrNative($0, in: 1...32) })
    var channels: NumberOrNative?

    @Option(
        help: ArgumentHelp(
            "Capture these channels of the source only, in this order: 3,4 or 1-4,8.", valueName: "channels"),
        transform: { try ChannelNumbers($0) })
    var select: ChannelNumbers?

    @Option(
        help: ArgumentHelp(
            "What the captured channels are: front-left,front-right,lfe … or surround-51 and the like.",
            valueName: "positions"),
        transform: { text in
            guard let map = ChannelMap(names: text) else {
                throw ValidationError(
                    "give PulseAudio's names, such as front-left,front-right or aux0,aux1, or stereo, surround-51 …")
            }
            return map
        })
    var channelMap: ChannelMap?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Frames in a buffer, 16 to 65536. (default: the mode's, 4096)", valueName: "frames"),
        transform: { try parseNumber($0, in: 16...65_536) })
    var bufferSize: Int?

    @Option(
        name: .customLong("max"),
        help: ArgumentHelp("End after exactly this long: 60, 2.5, 90s, 5m, 1h, 1:30.", valueName: "time"),
        transform: { text in
            guard let length = TakeLength(argument: text) else {
                throw ValidationError(
                    "give a length above 0 and up to 1000 hours, such as 60, 2.5, 90s, 5m, 1h or 1:30")
            }
            return length
        })
    var longest: TakeLength?

    @Option(name: .shortAndLong, help: "What the take is for; decides what is not given.")
    var mode: ACCAudioRecorder.AudioSessionMode = .default

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "The source: its name in 'accrec devices', its number, or a part of name or description that fits no other.",
            valueName: "source"))
    var device: String?

    @Flag(help: "Let a Bluetooth microphone be taken where none is named; its headset then plays in telephone quality.")
    var allowBluetooth = false

    @Flag(help: "Let a monitor, which is what the desktop plays, be taken where none is named.")
    var allowMonitor = false

    @Option(help: "How a sample is stored; 'native' holds the source's samples. (default: the mode's, s16)")
    var encoding: EncodingArgument?

    @Option(help: "How well the rate is converted. (default: the mode's, medium)")
    var quality: ResamplerQuality?

    @Option(help: "What to do when the device goes.")
    var onDisconnect: InterruptionPolicy.DisconnectBehavior = .pause

    @Option(
        help: ArgumentHelp(
            "End a take that was interrupted for longer: 60, 90s, 5m. (default: 60)", valueName: "time"),
        transform: { text in
            guard let length = TakeLength(argument: text) else {
                throw ValidationError("give a length above 0 and up to 1000 hours, such as 60, 90s or 5m")
            }
            return length
        })
    var interruptionTimeout: TakeLength?

    @Option(help: "What to do while another program has a call. (default: the mode's, pause)")
    var onCall: InterruptionPolicy.CallBehavior?

    @Flag(help: "Follow the server's default source when it changes. Not with --device.")
    var followDefault = false

    @Flag(help: "Put silence where frames are missing, so that the take stays true to time.")
    var fillGaps = false

    @Flag(name: .customLong("no-dither"), help: "Round converted samples without dither.")
    var isUndithered = false

    @Flag(name: .shortAndLong, help: "No meter and no report: only what went wrong.")
    var quiet = false

    @Flag(help: "Replace an existing file, at the moment the new take is whole.")
    var force = false

    func validate() throws {
        if followDefault, device != nil {
            throw ValidationError(
                "--follow-default and --device exclude each other: name a source, or follow the default")
        }
    }

    func run() async throws {
        let output = try recordingOutput
        let recorder = ACCAudioRecorder(configuration: recordingConfiguration)
        if let longest { await recorder.setTimeLimit(maxDuration: longest.seconds) }
        let signals = TerminationSignals()

        let (levels, events) = try await start(recorder, output)
        let ending = Task { await endOnSignal(signals, recorder) }
        let meter = Task { await levels.map { LevelMeterView(levels: $0) }?.run() }
        let report = await report(from: events)
        await meter.value
        ending.cancel()

        try conclude(report)
    }
}

// MARK: - What is asked for

extension RecordCommand {
    private var recordingConfiguration: ACCAudioRecorder.Configuration {
        var configuration = ACCAudioRecorder.Configuration(
            sampleRate: rate?.number.map(Double.init), channelCount: channels?.number.map(UInt32.init),
            bufferSize: bufferSize.map(UInt32.init), audioSessionMode: mode, resamplerQuality: quality,
            selectedChannels: select?.numbers ?? [], channelMap: channelMap, sourceName: device,
            interruptions: InterruptionPolicy(
                onDisconnect: onDisconnect, timeout: interruptionTimeout?.seconds ?? 60, fillsGaps: fillGaps,
                onCall: onCall, followsDefault: followDefault),
            allowsBluetooth: allowBluetooth, allowsMonitor: allowMonitor)
        if case .native = rate { configuration.native.insert(.sampleRate) }
        if case .native = channels { configuration.native.insert(.channelCount) }
        return configuration
    }

    private var sampleEncoding: SampleEncoding? {
        encoding.map(\.encoding) ?? mode.encoding
    }

    private var recordingOutput: RecordingOutput {
        get throws {
            if output == "-" {
                guard isatty(STDOUT_FILENO) == 0 else {
                    throw ValidationError(
                        "standard output is a terminal, which cannot play samples. Pipe it somewhere.")
                }
                return RecordingOutput(
                    .descriptor(STDOUT_FILENO), container: .raw, encoding: sampleEncoding, isDithered: !isUndithered)
            }
            return try RecordingOutput(
                path: output, encoding: sampleEncoding, isDithered: !isUndithered, replacesExisting: force)
        }
    }

    private static func parseNumber(_ text: String, in range: ClosedRange<Int>) throws -> Int {
        guard let number = Int(text), range.contains(number) else {
            throw ValidationError("give a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}

// MARK: - The course of the take

extension RecordCommand {
    /// Starts, and keeps of the first subscription just what is looked at: a stream that nobody holds is not
    /// fed.
    private func start(
        _ recorder: ACCAudioRecorder, _ output: RecordingOutput
    ) async throws -> (levels: AsyncStream<RecordingLevels>?, events: AsyncStream<RecordingEvent>) {
        let streams = try await recorder.startRecording(to: [output])
        return (quiet || !StandardError.isTerminal ? nil : streams.levels, streams.events)
    }

    /// Finishes the take on the first signal; a second one ends the program at once.
    private func endOnSignal(_ signals: TerminationSignals, _ recorder: ACCAudioRecorder) async {
        var isFinishing = false
        for await number in signals.arrivals {
            if isFinishing { _exit(128 + number) }
            isFinishing = true
            Task { await recorder.finishRecording() }
        }
    }

    /// Follows the take to its end, telling at once what is lost.
    private func report(from events: AsyncStream<RecordingEvent>) async -> RecordingReport? {
        for await event in events {
            switch event {
            case .started(let source):
                tell("recording from '\(source.description)' (\(source.sampleSpec)). Ctrl-C ends the take.")
            case .finished(let report):
                return report
            default:
                if let notice = EventText(event: event).text { StandardError.notice(notice) }
            }
        }
        return nil
    }

    private func conclude(_ report: RecordingReport?) throws {
        guard let report else { return }
        let text = ReportText(report: report)
        if !quiet, report.frameCount > 0 {
            StandardError.write(text.text)
        } else {
            StandardError.write(text.losses.map { "accrec: \($0)\n" }.joined())
        }
        var failures = report.outputs.compactMap(\.failure)
        if case .failed(let error) = report.ending, !failures.contains(error) { failures.append(error) }
        for failure in failures { StandardError.write("accrec: \(failure)\n") }
        if let failure = failures.last { throw ExitCode(failure) }
    }

    private func tell(_ message: String) {
        if !quiet { StandardError.write("accrec: \(message)\n") }
    }
}
