import ACCAudioRecorder
import ArgumentParser

/// What is done when something comes between.
struct TroubleOptions: ParsableArguments {
    @Option(help: "What to do when the device goes.")
    var onDisconnect: InterruptionPolicy.DisconnectBehavior = .pause

    @Option(
        help: ArgumentHelp(
            "End a take that was interrupted for longer: 60, 90s, 5m. (default: 60)", valueName: "time"),
        transform: TakeLength.parse)
    var interruptionTimeout: TakeLength?

    @Option(help: "What to do while another program has a call. (default: the mode's, pause)")
    var onCall: InterruptionPolicy.CallBehavior?

    @Flag(
        inversion: .prefixedNo,
        help: "Put silence where frames are missing, so that the take stays true to time.")
    var fillGaps = false

    @Option(
        help: ArgumentHelp(
            "Bring files to their disk that often, for a power cut: 1, 0.5; 0 for never. (default: 1)",
            valueName: "time"),
        transform: SyncInterval.parse)
    var sync: SyncInterval?

    @Option(
        help: ArgumentHelp(
            "How much may wait for a reader of standard output that is slow: 60, 0.5, 5m. (default: 60)",
            valueName: "time"),
        transform: TakeLength.parse)
    var stdoutBuffer: TakeLength?

    @Option(help: "What to do when that is full.")
    var stdoutOverflow: OverflowPolicy = .drop

    @Flag(inversion: .prefixedNo, help: "Fail, in the end, if frames are missing or samples clipped.")
    var strict = false

    @Flag(inversion: .prefixedNo, help: "Go on when the terminal is closed (SIGHUP).")
    var keepGoing = false

    @Flag(
        inversion: .prefixedNo,
        help: "Keep the machine from falling asleep for being idle. (default: where systemd-logind answers)")
    var inhibitSleep: Bool?

    /// The output with all this.
    func completing(_ output: RecordingOutput) -> RecordingOutput {
        var output = output
        if let sync { output.syncInterval = sync.seconds }
        if case .descriptor = output.destination {
            output.overflowPolicy = stdoutOverflow
            if let stdoutBuffer { output.longestDelay = stdoutBuffer.seconds }
        }
        return output
    }
}
