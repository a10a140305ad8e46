import Glibc
import Synchronization

/// Requests from the shell, the terminal and the user, received as signals or through the supervisor. One per process.
final class JobSignals: Sendable {
    enum Request: Equatable, Sendable {
        /// End the recording because of this signal.
        case finish(Int32)
        /// Exit at once because of this signal.
        case quit(Int32)
        /// Release the terminal to other jobs.
        case leave
        /// Continue in new files.
        case split
        /// Pause or resume.
        case pauseOrResume
        /// Set a marker.
        case mark
        /// Take the terminal back, if possible.
        case comeBack
        case windowChanged
    }

    private let listeners = Listeners()
    private let tasks: [Task<Void, Never>]

    /// - Parameters:
    ///   - link: The link to the supervisor, if there is one.
    ///   - endsOnHangUp: Whether SIGHUP ends the job.
    init(link: TerminalSupervisor.JobLink?, endsOnHangUp: Bool) {
        let endsOnHangUp = endsOnHangUp && !Signals.isIgnored(SIGHUP)
        let signals = Signals.ofTermination(endsOnHangUp: endsOnHangUp, and: [SIGUSR1, SIGUSR2, SIGWINCH])
        let tell = { @Sendable [listeners] in listeners.tell($0) }
        let counter = Counter(tell)
        tasks = [
            Task {
                for await signal in signals.arrivals {
                    switch signal.number {
                    case SIGWINCH: tell(.windowChanged)
                    default: await counter.receive(signal, by: .direct)
                    }
                }
            },
            Task {
                guard let link else { return }
                for await bytes in link.signals {
                    for number in bytes.map(Int32.init) {
                        switch number {
                        case SIGTSTP:
                            await counter.supervisorStops()
                            tell(.leave)
                        case SIGCONT:
                            await counter.supervisorContinues()
                            tell(.comeBack)
                        case SIGHUP where !endsOnHangUp: break
                        default: await counter.receive(.now(number), by: .supervisor)
                        }
                    }
                }
                if endsOnHangUp, !Task.isCancelled { await counter.receive(.now(SIGHUP), by: .supervisor) }
            },
        ]
    }

    deinit {
        for task in tasks { task.cancel() }
    }

    /// The requests from now on, preceded by a request to end the recording if one was made before.
    var requests: AsyncStream<Request> { listeners.add() }

    /// Makes a request to all that listen.
    func tell(_ request: Request) { listeners.tell(request) }

    /// Runs an operation that opens a connection or source. If it does not finish soon after the user asks to end the
    /// recording, or before the user asks to exit at once, exits the program, since nothing is recorded yet.
    ///
    /// - Parameters:
    ///   - abandon: Gives the operation up; false if it has just finished.
    ///   - leave: Restores the terminal before the exit.
    func exitingIfEnded<Value>(
        abandon: @escaping @Sendable () async -> Bool, leave: @escaping @Sendable () async -> Void,
        _ begin: () async throws -> Value
    ) async rethrows -> Value {
        let finishing = Task { [requests] in
            for await case .finish(let number) in requests {
                // If the operation succeeds within this time, the recording ends like any other.
                try await Task.sleep(for: Self.shortestStart)
                guard await abandon() else { return }
                await leave()
                StandardError.tell("ended before the recording began")
                ProgramEnd.leave(128 + number)
            }
        }
        let quitting = Task { [requests] in
            for await case .quit(let number) in requests {
                guard await abandon() else { return }
                await leave()
                ProgramEnd.leave(128 + number)
            }
        }
        defer {
            finishing.cancel()
            quitting.cancel()
        }
        return try await begin()
    }

    /// How long an operation may take to finish after a request to end.
    private static let shortestStart = Duration.milliseconds(300)

    /// Whether a request to end the recording was made.
    var isEnding: Bool { listeners.isEnding }

    /// The active request streams.
    private final class Listeners: Sendable {
        private struct State {
            var continuations: [Int: AsyncStream<Request>.Continuation] = [:]
            var count = 0
            /// The signal that asked to end the recording.
            var ending: Int32?
        }

        private let state = Mutex(State())

        var isEnding: Bool { state.withLock { $0.ending != nil } }

        func add() -> AsyncStream<Request> {
            let (stream, continuation) = AsyncStream.makeStream(of: Request.self)
            let key = state.withLock { state in
                state.count += 1
                state.continuations[state.count] = continuation
                if let number = state.ending { continuation.yield(.finish(number)) }
                return state.count
            }
            continuation.onTermination = { [weak self] _ in self?.state.withLock { $0.continuations[key] = nil } }
            return stream
        }

        func tell(_ request: Request) {
            let continuations = state.withLock { state in
                if case .finish(let number) = request { state.ending = number }
                return Array(state.continuations.values)
            }
            for continuation in continuations { continuation.yield(request) }
        }
    }

    /// Turns signals into requests.
    private actor Counter {
        private var copies = Copies()
        private var ending = Endings()
        private let tell: @Sendable (Request) -> Void

        init(_ tell: @escaping @Sendable (Request) -> Void) {
            self.tell = tell
        }

        func supervisorStops() { copies.supervisorStops(at: Signals.Arrival.now(SIGTSTP).time) }

        func supervisorContinues() { copies.supervisorContinues(at: Signals.Arrival.now(SIGCONT).time) }

        func receive(_ signal: Signals.Arrival, by way: Copies.Way) {
            guard copies.isNew(signal.number, by: way, at: signal.time) else { return }
            switch signal.number {
            case SIGUSR1: tell(.split)
            case SIGUSR2: tell(.pauseOrResume)
            default:
                switch ending.receive(signal.number, at: signal.time) {
                case .finish: tell(.finish(signal.number))
                case .quit: tell(.quit(signal.number))
                case nil: break
                }
            }
        }
    }
}

extension JobSignals {
    /// Decides what a sequence of termination signals asks for.
    ///
    /// The first one asks to finish the recording. Further ones in quick succession have the same cause: a closed
    /// terminal and its shell both send SIGHUP; timeout(1) sends SIGTERM to its child and to the process group; systemd
    /// sends SIGTERM and SIGHUP. They must not cut a recording short. Only a second Ctrl-C some time after the first is
    /// a deliberate request to exit at once.
    struct Endings {
        enum Request: Equatable {
            case finish
            case quit
        }

        /// The minimum interval between two deliberate key presses, in nanoseconds.
        static let shortestInterval: UInt64 = 100_000_000

        private var isFinishing = false
        private var firstInterrupt: UInt64?

        /// - Parameter time: When the signal arrived, in nanoseconds.
        /// - Returns: The request, or nil if it was made before.
        mutating func receive(_ number: Int32, at time: UInt64) -> Request? {
            if number == SIGINT {
                if let firstInterrupt, time >= firstInterrupt, time - firstInterrupt >= Self.shortestInterval {
                    return .quit
                }
                firstInterrupt = firstInterrupt ?? time
            }
            guard !isFinishing else { return nil }
            isFinishing = true
            return .finish
        }
    }

    /// Tells the two copies of one signal from two signals. A signal to the process group, as from `kill %1` or Ctrl-C,
    /// comes to this process directly and by its supervisor, and counts once; one to either of them comes alone.
    struct Copies {
        enum Way: CaseIterable {
            case direct, supervisor

            var other: Way { self == .direct ? .supervisor : .direct }
        }

        /// How long the second copy may take, in nanoseconds.
        static let longestDelay: UInt64 = 1_000_000_000

        /// When the copies came whose other ones have not come yet.
        private var single: [Int32: [Way: [UInt64]]] = [:]
        /// When the supervisor was stopped; nil if it runs.
        private var stop: UInt64?

        /// Whether a signal is new. Times are in nanoseconds.
        mutating func isNew(_ number: Int32, by way: Way, at time: UInt64) -> Bool {
            var others = single[number]?[way.other] ?? []
            // The second copy of a request to end, taken for a new one, would end the program at once, so that may come
            // late.
            if [SIGUSR1, SIGUSR2].contains(number) { others.removeAll { $0 + Self.longestDelay < time } }
            let isNew = others.isEmpty
            if isNew { single[number, default: [:]][way, default: []].append(time) } else { others.removeFirst() }
            single[number, default: [:]][way.other] = others
            return isNew
        }

        /// The supervisor stops with its job, and gets its copies when it continues.
        mutating func supervisorStops(at time: UInt64) { stop = time }

        mutating func supervisorContinues(at time: UInt64) {
            guard let stop = stop.take() else { return }
            for number in Array(single.keys) {
                let times = single[number]?[.direct] ?? []
                single[number]?[.direct] = times.map { $0 >= stop ? time : $0 }
            }
        }
    }
}
