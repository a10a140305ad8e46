import ACCAudioRecorder

/// What a key does during a recording or a playback.
enum KeyAction: Equatable {
    /// Starts a recording that waits.
    case start
    case pauseOrResume, mark, split, finish
    /// Ends a take, after which the recording is armed again.
    case finishTake
    /// Shows the keys, or hides them.
    case help
    /// Resets held peaks and clipping in the meter.
    case resetPeaks
    /// Shows the loudness, or hides it.
    case loudness
    /// Asks whether to discard the recording.
    case ask
    /// The answers: all files, only the current ones, or none.
    case discard, discardCurrent, keep
    /// Continues a playback at another place.
    case go(AudioPlayer.Place)
}

extension RecordingProgress {
    private typealias Key = KeyTable<KeyAction>.Key

    /// What the keys do in its phase.
    var keys: KeyTable<KeyAction> {
        if isPlayback { return KeyTable(playbackKeys) }
        switch phase {
        case .scheduled:
            return KeyTable([reset(nil), finish("cancel"), help])
        case .ready(_, let hasSource):
            let start = Key(" ", "\n", "\r", named: "space", does: .start, help: hasSource ? "record" : nil)
            return KeyTable([start, reset(nil), finish("cancel"), help])
        case .metering:
            return KeyTable([reset("reset"), loudness, finish("quit"), help])
        default:
            let pause = phase == .paused ? "resume" : "pause"
            let first =
                takes == nil
                ? [Key(" ", named: "space", does: .pauseOrResume, help: pause)]
                : [
                    Key(" ", "\n", "\r", named: "space", does: .finishTake, help: "end take"),
                    Key("p", does: .pauseOrResume, help: pause),
                ]
            return KeyTable(
                first + [
                    Key("m", does: .mark, help: "mark"), Key("s", does: .split, help: "split"),
                    Key("d", does: .ask, help: "discard"), reset("reset"), loudness, finish("finish"), help,
                ])
        }
    }

    private func reset(_ meaning: String?) -> Key { Key("r", does: .resetPeaks, help: meaning) }

    private var loudness: Key { Key("l", does: .loudness, help: "loudness") }

    private func finish(_ meaning: String) -> Key { Key("q", does: .finish, help: meaning) }

    private var help: Key { Key("?", "h", does: .help, help: "close") }

    /// The escape sequences are those of xterm, rxvt and the Linux console.
    private var playbackKeys: [Key] {
        // How far an arrow key goes. The end key goes to the last step.
        let (step, leap) = (Duration.seconds(5), Duration.seconds(60))
        return [
            Key(
                " ", "p", named: "space", does: .pauseOrResume, help: phase == .playbackPaused ? "resume" : "pause"),
            Key("\u{1B}[D", named: "left/right", does: .go(.here(.zero - step)), help: "5 s"),
            Key("\u{1B}[C", does: .go(.here(step))),
            Key("\u{1B}[A", ">", named: "up/down", does: .go(.here(leap)), help: "1 min"),
            Key("\u{1B}[B", "<", does: .go(.here(.zero - leap))),
        ]
            + (hasMarkers
                ? [
                    // Beside letters, the keys of Page Down and Page Up.
                    Key("n", "\u{1B}[6~", named: "n/b", does: .go(.marker(1)), help: "marker"),
                    Key("b", "\u{1B}[5~", does: .go(.marker(-1))),
                ] : []) + [
                Key(
                    "\u{1B}[H", "\u{1B}[1~", "\u{1B}[7~", named: "home/end", does: .go(.start(.zero)),
                    help: "start, last 5 s"),
                Key("\u{1B}[F", "\u{1B}[4~", "\u{1B}[8~", does: .go(.end(step))),
                reset("reset"), finish("stop"), help,
            ]
    }
}
