import Foundation

/// The lines that somebody types, until the end of standard input.
public func typedLines() -> AsyncStream<String> {
    AsyncStream { continuation in
        // `readLine` blocks, which no thread of Swift's tasks may do for long.
        Thread.detachNewThread {
            while let line = readLine() { continuation.yield(line) }
            continuation.finish()
        }
    }
}
