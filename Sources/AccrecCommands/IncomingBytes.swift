import Dispatch
import Glibc

/// What comes from a descriptor, as it comes, until its end.
enum IncomingBytes {
    /// The bytes of each read. Nothing is read any more once nobody waits for it.
    static func of(_ descriptor: Int32) -> AsyncStream<[UInt8]> {
        let (stream, continuation) = AsyncStream.makeStream(of: [UInt8].self)
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .global())
        source.setEventHandler {
            var bytes = [UInt8](repeating: 0, count: 64)
            let count = read(descriptor, &bytes, bytes.count)
            // Its other end is gone, or it is a terminal that is another job's.
            guard count > 0 else { return continuation.finish() }
            continuation.yield(Array(bytes.prefix(count)))
        }
        let box = DispatchSourceBox(source: source)
        continuation.onTermination = { _ in box.source.cancel() }
        source.activate()
        return stream
    }
}
