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
        /// To go on in new files.
        case split
        /// To pause, or to resume.
        case pauseOrResume
        /// The terminal may be ours again.
        case comeBack
        case windowChanged
    }

    let requests: AsyncStream<Request>

    /// - Parameters:
    ///   - link: To the process in front, where there is one.
    ///   - heedsHangUp: Whether the take ends with its terminal.
    init(link: FrontLink?, heedsHangUp: Bool) {
        let (stream, continuation) = AsyncStream.makeStream(of: Request.self)
        let termination = Signals.ofTermination(heedsHangUp: heedsHangUp)
        let splitting = Signals([SIGUSR1])
        let pausing = Signals([SIGUSR2])
        let window = Signals([SIGWINCH])
        // The first signal asks to finish, the second to quit.
        let counter = Counter { number, count in continuation.yield(count == 1 ? .finish : .quit(number)) }
        let splitCounter = Counter { _, _ in continuation.yield(.split) }
        let pauseCounter = Counter { _, _ in continuation.yield(.pauseOrResume) }
        let tasks = [
            Task { for await number in termination.arrivals { await counter.countDirect(number) } },
            Task { for await number in splitting.arrivals { await splitCounter.countDirect(number) } },
            Task { for await number in pausing.arrivals { await pauseCounter.countDirect(number) } },
            Task { for await _ in window.arrivals { continuation.yield(.windowChanged) } },
            Task {
                guard let link else { return }
                for await bytes in link.signals {
                    for number in bytes.map(Int32.init) {
                        switch number {
                        case SIGTSTP: continuation.yield(.leave)
                        case SIGCONT: continuation.yield(.comeBack)
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
        continuation.onTermination = { _ in tasks.forEach { $0.cancel() } }
        requests = stream
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
