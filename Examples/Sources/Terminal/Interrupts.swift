import Dispatch
import Foundation

/// Each press of Ctrl-C from now on, which no longer ends the program.
public func interrupts() -> AsyncStream<Void> {
    signal(SIGINT, SIG_IGN)
    return AsyncStream { continuation in
        let source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
        // The handler holds its source, which lasts as long as the program.
        source.setEventHandler { withExtendedLifetime(source) { _ = continuation.yield() } }
        source.activate()
    }
}
