import CPulse
import Synchronization

/// A pending query to the server.
///
/// Made, answered and ended under the lock of the connection's main loop. A subclass collects the answer and hands the
/// outcome to whoever waits.
class PulseQuery {
    /// libpulse's operation, cancelled if the query ends before its answer.
    var operation: OpaquePointer?
    /// The timer for the deadline.
    var deadline: OpaquePointer?
    /// The set of pending queries that contains it.
    weak var queries: PulseQueries?

    /// Receives one part of the answer: a pointer to one of libpulse's structs, valid during the call only.
    func receive(_ info: UnsafeRawPointer) {}

    /// Ends the query: nil after the last part of the answer, or the failure.
    func end(_ failure: CaptureFailure?) {
        queries?.end(self, failure)
    }

    /// Hands on the outcome; called once.
    func finish(_ failure: CaptureFailure?) {}

    /// Handles the arguments of any of libpulse's list callbacks.
    static func deliver(
        _ info: UnsafeRawPointer?, end: Int32, context: OpaquePointer?, to userdata: UnsafeMutableRawPointer?
    ) {
        let query = from(userdata)
        if end < 0 {
            query.end(CaptureFailure(code: pa_context_errno(context)))
        } else if end > 0 {
            query.end(nil)
        } else if let info {
            query.receive(info)
        }
    }

    /// The query that was passed to libpulse as `userdata`; the connection keeps it alive.
    static func from(_ userdata: UnsafeMutableRawPointer?) -> PulseQuery {
        Unmanaged<PulseQuery>.fromOpaque(userdata!).takeUnretainedValue()
    }

    /// The query as libpulse's `userdata`.
    var userdata: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }
}

/// A query whose answer is a list of `Info`, each read into a `Value` while its pointer is valid.
final class PulseListQuery<Info, Value: Sendable>: PulseQuery {
    private let read: (Info) -> Value?
    private let answer: Promise<Result<[Value], CaptureFailure>>
    private var values: [Value] = []

    init(read: @escaping (Info) -> Value?, answer: Promise<Result<[Value], CaptureFailure>>) {
        self.read = read
        self.answer = answer
    }

    override func receive(_ info: UnsafeRawPointer) {
        if let value = read(info.load(as: Info.self)) { values.append(value) }
    }

    override func finish(_ failure: CaptureFailure?) {
        answer.fulfil(failure.map { .failure($0) } ?? .success(values))
    }
}

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
    /// Whether the server announces changes.
    var isSubscribed = false
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
