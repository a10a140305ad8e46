/// The clock by which a recorder waits. By default it stops while the machine sleeps, when no device can come back; with a
/// paced synthetic source it is the test's.
struct RecorderClock: Sendable {
    /// A time, counted from the clock's creation.
    typealias Instant = Duration

    private let elapsed: @Sendable () -> Instant
    private let wait: @Sendable (Instant) async throws -> Void

    init(_ clock: some Clock<Duration> = SuspendingClock()) {
        let start = clock.now
        elapsed = { start.duration(to: clock.now) }
        wait = { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
    }

    var now: Instant { elapsed() }

    /// Waits until a promise is fulfilled, and fulfils it at this time if nobody else does.
    func wait(for promise: Promise<Void>, until deadline: Instant) async {
        let timeout = Task {
            try? await sleep(until: deadline)
            promise.fulfil(())
        }
        await withTaskCancellationHandler {
            await promise.value
        } onCancel: {
            promise.fulfil(())
        }
        timeout.cancel()
    }

    /// - Throws: `CancellationError` if the task is cancelled.
    func sleep(until deadline: Instant) async throws {
        try await wait(deadline)
    }
}
