import Glibc
import Synchronization

/// What the shell and the terminal want of the job, from signals and from the front. There is one in a process.
final class JobSignals: Sendable {
    enum Request: Sendable {
        /// To end the take.
        case finish
        /// To end at once, by this signal.
        case quit(Int32)
        /// To leave the terminal to others.
        case leave
        /// To go on in new files.
        case split
        /// To pause, or to resume.
        case pauseOrResume
        /// The terminal may be ours again.
        case comeBack
        case windowChanged
    }

    private let listeners = Listeners()
    private let tasks: [Task<Void, Never>]

    /// - Parameters:
    ///   - link: To the process in front, where there is one.
    ///   - heedsHangUp: Whether the job ends with its terminal.
    init(link: FrontLink?, heedsHangUp: Bool) {
        let signals = Signals.ofTermination(heedsHangUp: heedsHangUp, and: [SIGUSR1, SIGUSR2, SIGWINCH])
        let tell = { @Sendable [listeners] in listeners.tell($0) }
        // The first signal asks to finish, the second to quit.
        let counter = Counter { number, count in tell(count == 1 ? .finish : .quit(number)) }
        let splitCounter = Counter { _, _ in tell(.split) }
        let pauseCounter = Counter { _, _ in tell(.pauseOrResume) }
        tasks = [
            Task {
                for await number in signals.arrivals {
                    switch number {
                    case SIGUSR1: await splitCounter.countDirect(number)
                    case SIGUSR2: await pauseCounter.countDirect(number)
                    case SIGWINCH: tell(.windowChanged)
                    default: await counter.countDirect(number)
                    }
                }
            },
            Task {
                guard let link else { return }
                for await bytes in link.signals {
                    for number in bytes.map(Int32.init) {
                        switch number {
                        case SIGTSTP: tell(.leave)
                        case SIGCONT: tell(.comeBack)
                        case SIGUSR1: await splitCounter.countByFront(number)
                        case SIGUSR2: await pauseCounter.countByFront(number)
                        case SIGHUP where !heedsHangUp: break
                        default: await counter.countByFront(number)
                        }
                    }
                }
                if heedsHangUp, !Task.isCancelled { await counter.countByFront(SIGHUP) }
            },
        ]
    }

    deinit {
        for task in tasks { task.cancel() }
    }

    /// What is wanted from now on.
    var requests: AsyncStream<Request> { listeners.add() }

    /// Whether the job is to end, or was told so.
    var isEnding: Bool { listeners.isEnding }

    /// Those who are told.
    private final class Listeners: Sendable {
        private struct State {
            var continuations: [Int: AsyncStream<Request>.Continuation] = [:]
            var count = 0
            var isEnding = false
        }

        private let state = Mutex(State())

        var isEnding: Bool { state.withLock { $0.isEnding } }

        func add() -> AsyncStream<Request> {
            let (stream, continuation) = AsyncStream.makeStream(of: Request.self)
            let key = state.withLock { state in
                state.count += 1
                state.continuations[state.count] = continuation
                return state.count
            }
            continuation.onTermination = { [weak self] _ in self?.state.withLock { $0.continuations[key] = nil } }
            return stream
        }

        func tell(_ request: Request) {
            let continuations = state.withLock { state in
                if case .finish = request { state.isEnding = true }
                return Array(state.continuations.values)
            }
            for continuation in continuations { continuation.yield(request) }
        }
    }

    /// A signal may come to this process, to the one in front, which hands it on, or, from a terminal, to both: what is
    /// sent once is so never counted twice.
    private actor Counter {
        private var direct = 0
        private var byFront = 0
        private let request: @Sendable (_ number: Int32, _ count: Int) -> Void

        /// - Parameter request: Is told of each signal, and how many there have been.
        init(_ request: @escaping @Sendable (_ number: Int32, _ count: Int) -> Void) {
            self.request = request
        }

        func countDirect(_ number: Int32) {
            direct += 1
            if direct > byFront { request(number, direct) }
        }

        func countByFront(_ number: Int32) {
            byFront += 1
            if byFront > direct { request(number, byFront) }
        }
    }
}
