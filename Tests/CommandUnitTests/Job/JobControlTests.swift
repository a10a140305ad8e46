import Synchronization
import Testing

@testable import AccrecCommands

@Suite(.timeLimit(.minutes(1))) struct JobControlTests {
    private final class Screen: JobControl.Screen {
        private let calls = Mutex<[String]>([])

        /// The calls since the last time.
        func takeCalls() -> [String] {
            calls.withLock { calls in
                defer { calls = [] }
                return calls
            }
        }

        func show(hasKeys: Bool) { calls.withLock { $0.append(hasKeys ? "show with keys" : "show") } }
        func hide() { calls.withLock { $0.append("hide") } }
        func redraw() { calls.withLock { $0.append("redraw") } }
    }

    /// A job without a terminal, and the requests that reach it.
    private struct Trial {
        let screen = Screen()
        let job: JobControl
        private let requests: AsyncStream<JobSignals.Request>.Continuation
        private let obeyed: AsyncStream<JobSignals.Request>
        private let obey: AsyncStream<JobSignals.Request>.Continuation

        init() {
            let (stream, continuation) = AsyncStream.makeStream(of: JobSignals.Request.self)
            requests = continuation
            (obeyed, obey) = AsyncStream.makeStream(of: JobSignals.Request.self)
            job = JobControl(screen, stream, link: nil, readsKeys: false)
        }

        func begin() async {
            await job.begin(obey: { [obey] in obey.yield($0) })
        }

        /// Makes requests, and waits until the job has handled them.
        ///
        /// - Returns: What the screen was asked for.
        func make(_ list: JobSignals.Request...) async -> [String] {
            for request in list + [.split] { requests.yield(request) }
            _ = await obeyed.first { if case .split = $0 { true } else { false } }
            return screen.takeCalls()
        }
    }

    @Test("The screen is hidden while other jobs have the terminal, once, and shown when the job comes back")
    func leavesAndComesBack() async {
        let trial = Trial()
        await trial.begin()
        await trial.job.acquireTerminal()
        await trial.job.acquireTerminal()
        #expect(trial.screen.takeCalls() == ["show"])
        #expect(await trial.make(.leave, .leave) == ["hide"])
        #expect(await trial.make(.comeBack, .comeBack, .windowChanged) == ["show", "redraw"])
        #expect(await trial.make(.leave, .comeBack) == ["hide", "show"])
        await trial.job.end()
        #expect(trial.screen.takeCalls() == ["hide"])
    }

    @Test("A screen that is not wanted yet, or not any more, is not shown when the job comes back")
    func showsOnlyWhatIsWanted() async {
        let trial = Trial()
        await trial.begin()
        #expect(await trial.make(.leave, .comeBack) == ["hide"])
        #expect(await trial.make(.leave) == ["hide"])
        await trial.job.acquireTerminal()
        #expect(trial.screen.takeCalls() == [])
        #expect(await trial.make(.comeBack) == ["show"])
        await trial.job.releaseTerminal()
        #expect(await trial.make(.leave, .comeBack) == ["hide", "hide"])
    }

    @Test("Requests that are not about the terminal are passed on, in order")
    func passesOn() async {
        let (stream, continuation) = AsyncStream.makeStream(of: JobSignals.Request.self)
        let (obeyed, obey) = AsyncStream.makeStream(of: String.self)
        let job = JobControl(Screen(), stream, link: nil, readsKeys: false)
        await job.begin(obey: { obey.yield("\($0)") })
        for request in [.pauseOrResume, .windowChanged, .finish(2), .split] as [JobSignals.Request] {
            continuation.yield(request)
        }
        var texts: [String] = []
        for await text in obeyed.prefix(3) { texts.append(text) }
        #expect(texts == ["pauseOrResume", "finish(2)", "split"])
        await job.end()
    }
}
