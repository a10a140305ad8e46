import ACCAudioRecorder
import ArgumentParser

/// Options for the sources and their channels.
struct SourceOptions: ParsableArguments {
    @OptionGroup var inputs: InputOptions
    @OptionGroup var server: Server

    @Flag(
        inversion: .prefixedNo,
        help: "Consider Bluetooth microphones when no source is named. Their headset then plays in telephone quality.")
    var allowBluetooth = false

    @Flag(
        inversion: .prefixedNo,
        help: "Consider monitors, which deliver what the desktop plays, when no source is named.")
    var allowMonitor = false

    @Flag(
        inversion: .prefixedNo,
        help: "Follow the server's default source when it changes. Excludes --device.")
    var followDefault = false

    @Option(
        name: .customLong("capture-api"),
        help: ArgumentHelp(
            "The libpulse API to capture with; 'simple' is a fallback.", valueName: "api"))
    var captureAPI: CaptureAPI = .asynchronous

    @Option(
        help: ArgumentHelp(
            "Positions of the captured channels: front-left,front-right,lfe … or a layout such as surround-51.",
            valueName: "positions"),
        transform: { text in
            guard let map = ChannelMap(names: text) else {
                throw ValidationError(
                    "give PulseAudio's names, such as front-left,front-right or aux0,aux1, or a layout such as surround-51"
                )
            }
            return map
        })
    var channelMap: ChannelMap?

    /// Sets what these options decide of a recording.
    func apply(to configuration: inout ACCAudioRecorder.Configuration) {
        inputs.apply(to: &configuration)
        configuration.capture.serverName = server.name
        configuration.capture.allowsBluetooth = allowBluetooth
        configuration.capture.allowsMonitor = allowMonitor
        configuration.interruptions.followsDefault = followDefault
        configuration.capture.api = captureAPI
        configuration.channels.map = channelMap
    }

    func validate() throws {
        if inputs.hasApplication, captureAPI == .simple {
            throw ValidationError("--app and --capture-api simple exclude each other")
        }
        if followDefault, inputs.inputs != [.source(nil)] {
            throw ValidationError("--follow-default and \(inputs.sourceOption ?? "several sources") exclude each other")
        }
        if let channelMap, let count = inputs.selectedCounts.first(where: { $0 != channelMap.channelCount }) {
            throw ValidationError(
                "--channel-map names \(channelMap.channelCount) channels, but --select picks \(count)")
        }
    }
}

extension SourceOptions {
    /// Options for the sound server.
    struct Server: ParsableArguments {
        @Option(
            name: .customLong("server"),
            help: ArgumentHelp(
                "The sound server: unix:/path, tcp:host:4713, or a host. Overrides PULSE_SERVER.", valueName: "server"),
            transform: { text in
                guard text.contains(where: { !$0.isWhitespace }) else {
                    throw ValidationError("give an address: unix:/path, tcp:host:4713, or a host")
                }
                return text
            })
        var name: String?
    }
}
