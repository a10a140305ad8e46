import Glibc

/// What the shell and the terminal want of the job, from signals and from the front.
struct JobSignals {
    enum Request: Sendable {
        /// To end the take.
        case finish
        /// To end at once, by this signal.
        case quit(Int32)
        /// To leave the terminal to others.
        case leave
        /// The terminal may be ours again.
        case comeBack
        case windowChanged
    }

    let requests: AsyncStream<Request>

    /// - Parameter link: To the process in front, where there is one.
    init(link: FrontLink?) {
        let (stream, continuation) = AsyncStream.makeStream(of: Request.self)
        let termination = Signals.ofTermination
        let window = Signals([SIGWINCH])
        let counter = Counter(continuation)
        let tasks = [
            Task { for await number in termination.arrivals { await counter.countDirect(number) } },
            Task { for await _ in window.arrivals { continuation.yield(.windowChanged) } },
            Task {
                guard let link else { return }
                for await bytes in link.signals {
                    for number in bytes.map(Int32.init) {
                        switch number {
                        case SIGTSTP: continuation.yield(.leave)
                        case SIGCONT: continuation.yield(.comeBack)
                        default: await counter.countByFront(number)
                        }
                    }
                }
                if !Task.isCancelled { await counter.countByFront(SIGHUP) }
            },
        ]
        continuation.onTermination = { _ in tasks.forEach { $0.cancel() } }
        requests = stream
    }

    /// The first signal asks to finish, the second to quit.
    ///
    /// A signal may come to this process, to the one in front, which hands it on, or, from a terminal, to both: what is
    /// sent once is so never counted twice.
    private actor Counter {
        private var direct = 0
        private var byFront = 0
        private let continuation: AsyncStream<Request>.Continuation

        init(_ continuation: AsyncStream<Request>.Continuation) {
            self.continuation = continuation
        }

        func countDirect(_ number: Int32) {
            direct += 1
            request(number, isNew: direct > byFront)
        }

        func countByFront(_ number: Int32) {
            byFront += 1
            request(number, isNew: byFront > direct)
        }

        private func request(_ number: Int32, isNew: Bool) {
            guard isNew else { return }
            continuation.yield(max(direct, byFront) == 1 ? .finish : .quit(number))
        }
    }
}
