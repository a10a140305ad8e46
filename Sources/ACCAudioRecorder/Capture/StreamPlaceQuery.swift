import CPulse
import Dispatch

/// The question where a record stream is, which is asked again and again and takes no memory for it.
///
/// `@unchecked Sendable`: one thread at a time asks. The answer is written under the lock of the connection's main loop, before
/// the semaphore is signalled, and read after that was waited for.
final class StreamPlaceQuery: PulseQuery, @unchecked Sendable {
    private let answered = DispatchSemaphore(value: 0)
    private var sourceIndex: UInt32?
    private var failure: PulseFailure?

    /// Forgets the last answer.
    func reset() {
        sourceIndex = nil
        failure = nil
    }

    override func receive(_ info: UnsafeRawPointer) {
        sourceIndex = info.assumingMemoryBound(to: pa_source_output_info.self).pointee.source
    }

    override func finish(_ failure: PulseFailure?) {
        self.failure = failure
        answered.signal()
    }

    /// Waits for the answer.
    ///
    /// - Parameters:
    ///   - milliseconds: How long.
    ///   - giveUp: Is called when that is over, and ends the question, unless it is answered by then.
    /// - Returns: The number of the source that the stream is on; nil where there is no such stream.
    func wait(milliseconds: Int, giveUp: () -> Void) throws(PulseFailure) -> UInt32? {
        if answered.wait(timeout: .now() + .milliseconds(milliseconds)) == .timedOut {
            giveUp()
            answered.wait()
        }
        guard let failure else { return sourceIndex }
        if failure.code == PA_ERR_NOENTITY { return nil }
        throw failure
    }
}
