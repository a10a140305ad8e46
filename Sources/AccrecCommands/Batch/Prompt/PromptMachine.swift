/// The state machine of a prompted batch: the current take and what each key does.
struct PromptMachine {
    /// A key that controls a prompted batch.
    enum Key: Equatable {
        /// Starts the take, ends it, or goes on to the next one.
        case go
        case again, skip, back, listen, quit
        /// Shows the keys.
        case help
        /// Any other, which ends the playback.
        case other
    }

    enum Phase: Equatable {
        /// The take's text is shown; there is no complete recording of it.
        case waiting
        case recording
        /// There is a complete recording of the take.
        case done
        /// The take's text is shown again, and its next recording replaces the complete one.
        case repeating
        case listening
        /// All takes are done.
        case over
    }

    /// What to do, for the current take unless noted otherwise.
    enum Action: Equatable {
        case nothing
        case record
        case endRecording
        case listen
        case stopListening
        /// Mark this take as skipped and show the current one.
        case leaveOut(Int)
        /// Show the text of the current take.
        case show
        case showKeys
    }

    /// Which takes are complete or skipped.
    private var settled: [Bool]
    private var complete: [Bool]
    /// The index of the current take, counted from 0.
    private(set) var index = 0
    private(set) var phase = Phase.waiting
    private var isLeaving = false

    /// - Parameter complete: Which takes are complete already. The first incomplete one becomes the current one.
    init(complete: [Bool]) {
        self.complete = complete
        settled = complete
        advance(from: -1)
    }

    /// Handles a key press.
    mutating func press(_ key: Key) -> Action {
        switch (phase, key) {
        case (.over, _): return .nothing
        case (_, .help) where phase != .listening: return .showKeys
        case (.recording, .go): return .endRecording
        case (.recording, .quit):
            isLeaving = true
            return .endRecording
        case (.recording, _): return .nothing
        case (.listening, .quit):
            isLeaving = true
            return .stopListening
        case (.listening, _): return .stopListening
        case (_, .quit):
            phase = .over
            return .nothing
        case (.waiting, .go), (.repeating, .go):
            phase = .recording
            return .record
        case (.done, .again):
            phase = .repeating
            return .show
        case (.repeating, .skip):
            phase = .done
            return .show
        case (.done, .listen):
            phase = .listening
            return .listen
        case (_, .back) where index > 0:
            settle(at: index - 1)
            return .show
        case (.waiting, .skip):
            let left = index
            settled[left] = true
            advance(from: left)
            return .leaveOut(left)
        case (.done, .go), (.done, .skip):
            advance(from: index)
            return .show
        default: return .nothing
        }
    }

    /// Call when the recording has ended.
    mutating func recorded(isComplete: Bool) {
        complete[index] = isComplete
        settled[index] = isComplete
        phase = isLeaving ? .over : isComplete ? .done : .waiting
    }

    /// Call when the playback has ended.
    mutating func heard() {
        phase = isLeaving ? .over : .done
    }

    /// Call when the program is asked to end.
    mutating func leave() -> Action {
        press(.quit)
    }

    /// Goes on to the next take that is neither complete nor skipped, if there is one.
    private mutating func advance(from last: Int) {
        guard let next = settled.indices.first(where: { $0 > last && !settled[$0] }) else {
            phase = .over
            return
        }
        settle(at: next)
    }

    private mutating func settle(at index: Int) {
        self.index = index
        phase = complete[index] ? .done : .waiting
    }
}

extension PromptMachine.Phase {
    private typealias Key = KeyTable<PromptMachine.Key>.Key

    /// What the keys do in it.
    var keys: KeyTable<PromptMachine.Key> {
        func go(_ meaning: String) -> Key { Key(" ", "\n", "\r", named: "space", does: .go, help: meaning) }
        func skip(_ meaning: String?) -> Key { Key("s", does: .skip, help: meaning) }
        // Whoever closes the terminal quits.
        func quit(_ meaning: String?) -> Key { Key("q", .end, does: .quit, help: meaning) }
        let back = Key("b", does: .back, help: "goes back")
        let help = Key("?", does: .help)
        return switch self {
        case .waiting: KeyTable([go("records"), skip("skips"), back, quit("quits"), help])
        case .repeating: KeyTable([go("records again"), skip("keeps the take"), back, quit("quits"), help])
        case .recording: KeyTable([go("ends the take"), quit("ends it and quits"), help])
        case .done:
            KeyTable([
                go("continues"), Key("r", does: .again, help: "records again"), Key("l", does: .listen, help: "plays"),
                back, skip(nil), quit("quits"), help,
            ])
        case .listening: KeyTable([quit(nil), Key(named: "any key", does: .other, help: "stops playback")])
        case .over: KeyTable([])
        }
    }
}
