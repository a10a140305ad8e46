import CPulse
import Synchronization

/// The pending queries of one connection, and the observer of changes.
///
/// A separate object, because libpulse's callbacks hold it briefly, and a connection that ends on the main loop's
/// thread leaves another thread to wait for that thread. Used under the main loop's lock, except for `changeCount`, which
/// is atomic, and `closed`, a promise.
final class PulseQueries {
    /// Fulfilled when the connection has broken.
    let closed = Promise<Void>()
    /// How many changes the server has announced.
    let changeCount = Atomic<Int>(0)
    /// Called for each change at the server.
    var onChange: ((ServerChange) -> Void)?
    private let api: UnsafePointer<pa_mainloop_api>
    private var waiting: [ObjectIdentifier: PulseQuery] = [:]

    init(api: UnsafePointer<pa_mainloop_api>) {
        self.api = api
    }

    func add(_ query: PulseQuery) {
        query.queries = self
        waiting[ObjectIdentifier(query)] = query
    }

    /// Ends a query once: later answers to it are ignored.
    func end(_ query: PulseQuery, _ failure: CaptureFailure?) {
        guard waiting.removeValue(forKey: ObjectIdentifier(query)) != nil else { return }
        if let operation = query.operation {
            if failure != nil { pa_operation_cancel(operation) }
            pa_operation_unref(operation)
        }
        if let deadline = query.deadline { api.pointee.time_free(deadline) }
        query.finish(failure)
    }

    /// Ends the queries that wait for the connection to be established: nothing else was asked yet.
    func connected() {
        for query in waiting.values { end(query, nil) }
    }

    /// Fails all pending queries at once, rather than at their deadlines, because the connection has broken.
    func disconnected(_ failure: CaptureFailure) {
        for query in waiting.values { end(query, failure) }
        closed.fulfil(())
    }
}
