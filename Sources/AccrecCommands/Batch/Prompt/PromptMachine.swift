/// Where somebody who is recorded is among the takes, and what a key does there.
struct PromptMachine {
    enum Phase: Equatable {
        /// Its text is shown, and there is no complete take.
        case waiting
        case recording
        /// There is a complete take.
        case done
        case listening
        /// Nothing more is recorded.
        case over
    }

    /// What is to be done, for the take that is current now unless it says otherwise.
    enum Action: Equatable {
        case nothing
        case record
        case endRecording
        case listen
        case stopListening
        /// Note that this take is left out, and show the current one.
        case leaveOut(Int)
        /// Show the text of another take.
        case show
    }

    /// Which takes are complete, or left out.
    private var settled: [Bool]
    private var complete: [Bool]
    /// The current take, counted from 0.
    private(set) var index = 0
    private(set) var phase = Phase.waiting
    private var isLeaving = false

    /// - Parameter complete: Which takes are complete already. It begins with the first that is not.
    init(complete: [Bool]) {
        self.complete = complete
        settled = complete
        goOn(from: -1)
    }

    /// What a key does.
    mutating func press(_ key: PromptKey) -> Action {
        switch (phase, key) {
        case (.over, _): return .nothing
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
        case (.waiting, .go), (.done, .again):
            phase = .recording
            return .record
        case (.done, .listen):
            phase = .listening
            return .listen
        case (_, .back) where index > 0:
            settle(at: index - 1)
            return .show
        case (.waiting, .skip):
            let left = index
            settled[left] = true
            goOn(from: left)
            return .leaveOut(left)
        case (.done, .go), (.done, .skip):
            goOn(from: index)
            return .show
        default: return .nothing
        }
    }

    /// The take has ended.
    mutating func recorded(isComplete: Bool) {
        complete[index] = isComplete
        settled[index] = isComplete
        phase = isLeaving ? .over : isComplete ? .done : .waiting
    }

    /// It was played.
    mutating func heard() {
        phase = isLeaving ? .over : .done
    }

    /// The program is to end.
    mutating func leave() -> Action {
        press(.quit)
    }

    /// To the next take that is not settled, if there is one.
    private mutating func goOn(from last: Int) {
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
