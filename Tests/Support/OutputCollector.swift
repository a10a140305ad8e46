import Foundation
import Synchronization

/// Reads a pipe to its end on a thread of its own, so that the process that writes never waits for the test.
final class OutputCollector: Sendable {
    private struct State {
        var data = Data()
        var isFinished = false
    }

    private let state = Mutex(State())

    /// Everything that was read so far.
    var data: Data { state.withLock { $0.data } }

    /// The pipe has reached its end: nobody holds its other side any more.
    var isFinished: Bool { state.withLock { $0.isFinished } }

    /// Takes over the descriptor, and closes it at the end of the pipe.
    init(reading descriptor: Int32) {
        Thread.detachNewThread { [self] in
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = read(descriptor, &buffer, buffer.count)
                if count > 0 {
                    state.withLock { $0.data.append(contentsOf: buffer[..<count]) }
                } else if count == 0 || errno != EINTR {
                    break
                }
            }
            close(descriptor)
            state.withLock { $0.isFinished = true }
        }
    }
}
