import ACCAudioRecorder
import ArgumentParser

/// Options for interruptions and for the safety of outputs.
struct ReliabilityOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("What to do when the device is unplugged, or the application stops.", valueName: "policy"))
    var onDisconnect: InterruptionPolicy.DisconnectBehavior = .pause

    @Option(
        help: ArgumentHelp(
            "Stop if an interruption lasts longer than this: 60, 90s, 5m. (default: \(ReliabilityOptions.defaultTimeout))",
            valueName: "time"),
        transform: RecordingLength.parse)
    var interruptionTimeout = defaultTimeout

    @Option(
        help: ArgumentHelp(
            "What to do during a call in another program. (default: the mode's, pause)", valueName: "policy"))
    var onCall: InterruptionPolicy.CallBehavior?

    @Flag(
        inversion: .prefixedNo,
        help: "Fill gaps with silence, so that the timing stays right.")
    var fillGaps = false

    @Flag(
        inversion: .prefixedNo,
        help: "Ask PipeWire to keep its cycle, so that a monitor loses nothing when other programs come and go.")
    var steady = false

    @Option(
        help: ArgumentHelp(
            "Sync files to disk at this interval: 1, 0.5; 0 disables. (default: \(ReliabilityOptions.defaultSync))",
            valueName: "time"),
        transform: SyncInterval.parse)
    var sync = defaultSync

    @Option(
        help: ArgumentHelp(
            "Buffer this much audio for a slow reader of standard output: 60, 0.5, 5m. (default: \(ReliabilityOptions.defaultBuffer))",
            valueName: "time"),
        transform: RecordingLength.parse)
    var stdoutBuffer = defaultBuffer

    @Option(help: ArgumentHelp("What to do when that buffer is full.", valueName: "policy"))
    var stdoutOverflow: OverflowPolicy = .drop

    @Flag(
        inversion: .prefixedNo,
        help: "Exit with status 12 if frames are missing, samples clipped, or a microphone was silent.")
    var strict = false

    @Flag(inversion: .prefixedNo, help: "Continue when the terminal is closed (SIGHUP).")
    var keepGoing = false

    @Flag(
        inversion: .prefixedNo,
        help: "Inhibit idle sleep. (default: where systemd-logind is available)")
    var inhibitSleep: Bool?

    private static let defaultTimeout = RecordingLength(seconds: 60)
    private static let defaultSync = SyncInterval(seconds: 1)
    private static let defaultBuffer = RecordingLength(seconds: 60)
    /// Defaults of options with a transformed value, which the parser does not dump, by the names of the options.
    static let transformedDefaults = [
        "interruption-timeout": "\(defaultTimeout)", "sync": "\(defaultSync)", "stdout-buffer": "\(defaultBuffer)",
    ]

    /// Rejects settings of standard output where there is none.
    func rejectBuffer() throws {
        let given = [
            stdoutBuffer == Self.defaultBuffer ? nil : "--stdout-buffer",
            stdoutOverflow == .drop ? nil : "--stdout-overflow",
        ].compactMap(\.self)
        if let name = given.first { throw ValidationError("\(name) needs the output '-'") }
    }

    /// Sets what these options decide of a recording.
    func apply(to configuration: inout ACCAudioRecorder.Configuration) {
        configuration.interruptions.onDisconnect = onDisconnect
        configuration.interruptions.timeout = interruptionTimeout.duration
        configuration.interruptions.onCall = onCall
        configuration.interruptions.fillsGaps = fillGaps
        configuration.capture.keepsCycle = steady
    }

    /// Sets what these options decide of an output.
    func apply(to output: inout RecordingOutput) {
        output.syncInterval = .seconds(sync.seconds)
        if case .descriptor = output.destination {
            output.overflowPolicy = stdoutOverflow
            output.longestDelay = stdoutBuffer.duration
        }
    }
}

extension ReliabilityOptions {
    /// How often a file is synced to disk, as given to `--sync`: a duration, or `0` for never.
    struct SyncInterval: Hashable, CustomStringConvertible {
        let seconds: Double

        var description: String { RecordingLength.text(of: seconds) }

        /// Parses the interval.
        static func parse(_ text: String) throws -> SyncInterval {
            if text == "0" { return SyncInterval(seconds: 0) }
            guard let length = RecordingLength(text) else {
                throw ValidationError("give a length of time up to 1000 hours, such as 1, 0.5 or 1m, or 0 for never")
            }
            return SyncInterval(seconds: length.seconds)
        }
    }
}
