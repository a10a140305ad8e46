import Foundation
import Synchronization

/// Reads a pipe to its end on a thread of its own, so that the writing process never blocks.
public final class OutputCollector: Sendable {
    private struct State {
        var data = Data()
        var arrivals: [Arrival] = []
        var isFinished = false
    }

    /// A length of the output, and when it was reached.
    public struct Arrival {
        /// The number of bytes read so far.
        public let byteCount: Int
        /// The time after the read.
        public let time: ContinuousClock.Instant
    }

    private let state = Mutex(State())

    /// Everything read so far.
    var data: Data { state.withLock { $0.data } }

    /// The number of bytes read so far.
    var byteCount: Int { state.withLock { $0.data.count } }

    /// When each part of it was read.
    var arrivals: [Arrival] { state.withLock { $0.arrivals } }

    /// Whether the end of the pipe was reached.
    var isFinished: Bool { state.withLock { $0.isFinished } }

    /// Takes ownership of the descriptor, and closes it at the end of the pipe.
    init(reading descriptor: Int32) {
        Thread.detachNewThread { [self] in
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = read(descriptor, &buffer, buffer.count)
                if count > 0 {
                    let time = ContinuousClock.now
                    state.withLock {
                        $0.data.append(contentsOf: buffer[..<count])
                        $0.arrivals.append(Arrival(byteCount: $0.data.count, time: time))
                    }
                } else if count == 0 || errno != EINTR {
                    break
                }
            }
            close(descriptor)
            state.withLock { $0.isFinished = true }
        }
    }
}
