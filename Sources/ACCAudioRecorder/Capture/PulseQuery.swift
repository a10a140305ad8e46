import CPulse

/// One question to the server that waits for its answer.
///
/// Made, answered and ended under the lock of the control connection's main loop. A subclass says what
/// an answer is made of and hands the outcome to whoever waits.
class PulseQuery {
    /// libpulse's own handle of the question, cancelled when the query ends before its answer.
    var operation: OpaquePointer?
    /// The timer that ends the wait.
    var deadline: OpaquePointer?
    /// Where the query waits.
    weak var queries: PulseQueries?

    /// Takes one part of the answer: a pointer to the library's struct, valid during the call only.
    func receive(_ info: UnsafeRawPointer) {}

    /// The last part of the answer is there, or the question has failed.
    func end(_ failure: PulseFailure?) {
        queries?.end(self, failure)
    }

    /// Hands the outcome on; called once.
    func finish(_ failure: PulseFailure?) {}

    /// What each of libpulse's list callbacks does with its arguments.
    static func deliver(
        _ info: UnsafeRawPointer?, end: Int32, context: OpaquePointer?, to userdata: UnsafeMutableRawPointer?
    ) {
        let query = from(userdata)
        if end < 0 {
            query.end(PulseFailure(code: pa_context_errno(context)))
        } else if end > 0 {
            query.end(nil)
        } else if let info {
            query.receive(info)
        }
    }

    /// The query that was handed to libpulse as `userdata`; the control connection keeps it alive.
    static func from(_ userdata: UnsafeMutableRawPointer?) -> PulseQuery {
        Unmanaged<PulseQuery>.fromOpaque(userdata!).takeUnretainedValue()
    }

    /// The query as libpulse's `userdata`.
    var userdata: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }
}

/// A question whose answer is a list of `Info`, each read into a `Value` while its pointer is valid.
final class PulseListQuery<Info, Value: Sendable>: PulseQuery {
    private let read: (Info) -> Value?
    private let answer: Promise<Result<[Value], PulseFailure>>
    private var values: [Value] = []

    init(read: @escaping (Info) -> Value?, answer: Promise<Result<[Value], PulseFailure>>) {
        self.read = read
        self.answer = answer
    }

    override func receive(_ info: UnsafeRawPointer) {
        if let value = read(info.load(as: Info.self)) { values.append(value) }
    }

    override func finish(_ failure: PulseFailure?) {
        answer.fulfil(failure.map { .failure($0) } ?? .success(values))
    }
}
