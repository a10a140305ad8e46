import ACCAudioRecorder
import ArgumentParser

/// Which source is captured, and what of it.
struct SourceOptions: ParsableArguments {
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "The source: its name in 'accrec devices', its number, or a part of name or description that fits no other.",
            valueName: "source"),
        completion: .custom { words, _, _ in
            SourceNames.ofServer(named: CompletedWords(words: words).value(of: "--server"))
        })
    var device: String?

    @OptionGroup var server: ServerOptions

    @Flag(
        inversion: .prefixedNo,
        help: "Let a Bluetooth microphone be taken where none is named; its headset then plays in telephone quality.")
    var allowBluetooth = false

    @Flag(
        inversion: .prefixedNo,
        help: "Let a monitor, which is what the desktop plays, be taken where none is named.")
    var allowMonitor = false

    @Flag(
        inversion: .prefixedNo,
        help: "Follow the server's default source when it changes. Not with --device.")
    var followDefault = false

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

    func validate() throws {
        if followDefault, device != nil {
            throw ValidationError(
                "--follow-default and --device exclude each other: name a source, or follow the default")
        }
    }
}
