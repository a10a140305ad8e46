import CPulse
import Synchronization

/// The questions of one control connection that wait for their answers.
///
/// An object of its own, because libpulse's callbacks may hold it for a moment on the main loop's thread: a
/// control connection must not be let go of there, for it ends that thread. Used under the main loop's lock, apart from
/// `changeCount`.
final class PulseQueries {
    /// Set when the connection has broken.
    let closed = Promise<Void>()
    /// How often `onChange` was called.
    let changeCount = Atomic<Int>(0)
    /// Who is told of what changes at the server.
    var onChange: ((ServerChange) -> Void)?
    /// Who is told that the list of sources may have changed.
    var onSourcesChange: (() -> Void)?
    private let api: UnsafePointer<pa_mainloop_api>
    private var waiting: [ObjectIdentifier: PulseQuery] = [:]

    init(api: UnsafePointer<pa_mainloop_api>) {
        self.api = api
    }

    func add(_ query: PulseQuery) {
        query.queries = self
        waiting[ObjectIdentifier(query)] = query
    }

    /// Ends a query, once: whatever comes later for it is not delivered.
    func end(_ query: PulseQuery, _ failure: PulseFailure?) {
        guard waiting.removeValue(forKey: ObjectIdentifier(query)) != nil else { return }
        if let operation = query.operation {
            if failure != nil { pa_operation_cancel(operation) }
            pa_operation_unref(operation)
        }
        if let deadline = query.deadline { api.pointee.time_free(deadline) }
        query.finish(failure)
    }

    /// The connection is there, which is all that was asked until now.
    func connected() {
        for query in waiting.values { end(query, nil) }
    }

    /// The connection has broken: whoever waits is told now, not at the deadline.
    func disconnected(_ failure: PulseFailure) {
        for query in waiting.values { end(query, failure) }
        closed.fulfil(())
    }
}
