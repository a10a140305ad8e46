import ACCAudioRecorder
import Glibc

/// Controls a playback by keys and signals, and manages the terminal together with the shell.
actor PlayControls {
    private let player: AudioPlayer
    private let view: TakeView
    private let link: SupervisorLink?
    private let signals: JobSignals
    private let keyboard: Keyboard<PlayKey>
    private var reading: Task<Void, Never>?
    private var isPlaying = false
    private var isOver = false
    /// Whether the user ended the playback.
    private(set) var wasStopped = false
    /// Whether other jobs use the terminal.
    private var isAway = false

    init(_ player: AudioPlayer, view: TakeView, link: SupervisorLink?, readsKeys: Bool) {
        (self.player, self.view, self.link) = (player, view, link)
        signals = JobSignals(link: link, endsOnHangUp: true)
        keyboard = Keyboard(readsKeys: readsKeys, hasJobControl: link != nil, end: .other) { PlayKey.keys(in: $0) }
    }

    /// Starts to respond to signals.
    func begin() {
        let requests = signals.requests
        Task { [weak self] in
            for await request in requests { await self?.obey(request) }
        }
    }

    /// Starts displaying and controlling the playback, unless it is over already.
    func didStart() async {
        guard !isOver else { return }
        isPlaying = true
        reading = Task { [weak self, keyboard] in
            for await key in keyboard.keys { await self?.press(key) }
        }
        await acquireTerminal()
    }

    /// Restores the terminal. A signal ends the program at once from now on.
    func end() async {
        isOver = true
        reading?.cancel()
        await releaseTerminal()
    }

    private func obey(_ request: JobSignals.Request) async {
        switch request {
        case .finish(let number):
            guard isPlaying, !isOver else { ProgramEnd.leave(128 + number) }
            stop()
        case .pauseOrResume: pauseOrResume()
        case .quit(let number):
            await releaseTerminal()
            _exit(128 + number)
        case .leave:
            isAway = true
            await releaseTerminal()
            view.tell("the file goes on playing; 'fg' brings the meter back")
            StandardError.settle()
            link?.didReleaseTerminal()
        case .comeBack:
            isAway = false
            await acquireTerminal()
        case .windowChanged: view.redraw()
        case .split: return
        }
    }

    private func acquireTerminal() async {
        guard isPlaying, !isAway, !isOver else { return }
        await keyboard.begin { [view] hasKeys in
            view.update { $0.hasKeys = hasKeys }
            view.show()
        }
    }

    private func releaseTerminal() async {
        await keyboard.release()
        view.hide()
    }

    private func press(_ key: PlayKey) {
        switch key {
        case .pause: pauseOrResume()
        case .stop: stop()
        case .help: view.update { $0.prompt = $0.prompt == .help ? .details : .help }
        case .reset: view.resetPeaks()
        case .go(let place): player.go(to: place)
        case .other: return
        }
    }

    private func stop() {
        wasStopped = true
        player.stop()
    }

    private func pauseOrResume() {
        let isPaused = player.pauseOrResume()
        view.model.update { $0.phase = isPaused ? .playbackPaused : .playing }
    }
}

/// A key that controls a playback.
enum PlayKey: Equatable {
    case pause, stop, help
    /// Resets held peaks and clipping in the meter.
    case reset
    /// Continues at another place.
    case go(AudioPlayer.Place)
    /// Any other key.
    case other

    /// How far an arrow key goes, in seconds: left and right, down and up. The end key goes to the last step.
    private static let (step, leap) = (5.0, 60.0)

    /// The keys for bytes from a terminal.
    static func keys(in bytes: some Sequence<UInt8>) -> [PlayKey] {
        var keys: [PlayKey] = []
        var rest = Array(bytes)[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "p"), UInt8(ascii: "P"): keys.append(.pause)
            case UInt8(ascii: "q"), UInt8(ascii: "Q"): keys.append(.stop)
            case UInt8(ascii: "r"), UInt8(ascii: "R"): keys.append(.reset)
            case UInt8(ascii: "?"), UInt8(ascii: "h"): keys.append(.help)
            case UInt8(ascii: "<"): keys.append(.go(.here(-leap)))
            case UInt8(ascii: ">"): keys.append(.go(.here(leap)))
            case 0x1B: keys.append(sequence(&rest))
            default: keys.append(.other)
            }
        }
        return keys
    }

    /// The key of an escape sequence, as xterm, rxvt and the Linux console send it, without its first byte.
    private static func sequence(_ bytes: inout ArraySlice<UInt8>) -> PlayKey {
        guard let kind = bytes.first, kind == UInt8(ascii: "[") || kind == UInt8(ascii: "O") else { return .other }
        bytes.removeFirst()
        var text = ""
        while let byte = bytes.popFirst() {
            text.unicodeScalars.append(Unicode.Scalar(byte))
            // The final byte of a control sequence (ECMA-48, 5.4).
            if (0x40...0x7E).contains(byte) { break }
        }
        switch text {
        case "A": return .go(.here(leap))
        case "B": return .go(.here(-leap))
        case "C": return .go(.here(step))
        case "D": return .go(.here(-step))
        case "H", "1~", "7~": return .go(.start(0))
        case "F", "4~", "8~": return .go(.end(step))
        default: return .other
        }
    }
}
