/// What one subscriber gets, in order. It is made by ``ACCAudioRecorder/ACCAudioRecorder/buffers(format:policy:)`` and its
/// siblings.
///
/// It begins when it is made, not when it is read: one that is made before a recording starts has its first frame. It lives across
/// the recordings of its recorder, and ends when the recorder is released. It is for one consumer; several share its elements. A
/// task that is cancelled while it waits gets nil, and the loop over the subscription ends.
///
/// It costs memory and CPU time as long as something holds it or its iterator, whether it is read or not, and keeps neither the
/// recorder nor another subscription alive.
public struct Subscription<Element: Sendable>: AsyncSequence, Sendable {
    private let nextElement: @Sendable () async -> Element?

    /// - Parameter forget: Called when nobody can read any more.
    init(_ mailbox: Mailbox<Element>, forget: @escaping @Sendable (Mailbox<Element>) -> Void)
    where Element: Subscribable {
        let reader = MailboxReader(mailbox, forget: forget)
        nextElement = { await reader.mailbox.next() }
    }

    /// Gets the elements of a subscription, one after another.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let nextElement: @Sendable () async -> Element?

        /// Waits for the next element; nil after the last one, and for a task that is cancelled.
        public mutating func next() async -> Element? {
            await nextElement()
        }

        /// Waits for the next element; nil after the last one, and for a task that is cancelled.
        ///
        /// - Parameter actor: The caller's.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
            await nextElement()
        }
    }

    /// Creates an iterator. It gets what no other iterator has got.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(nextElement: nextElement)
    }

    /// A stream of what a closure makes of the elements; elements of which it makes nothing are left out.
    func stream<Value>(_ transform: @escaping @Sendable (Element) -> Value?) -> AsyncStream<Value> {
        AsyncStream { [nextElement] in
            while let element = await nextElement() {
                if let value = transform(element) { return value }
            }
            return nil
        }
    }

    /// A stream of the elements.
    var stream: AsyncStream<Element> { stream { $0 } }
}

/// Holds a mailbox for those who read, and releases it after the last of them.
private final class MailboxReader<Value: Subscribable>: Sendable {
    let mailbox: Mailbox<Value>
    private let forget: @Sendable (Mailbox<Value>) -> Void

    init(_ mailbox: Mailbox<Value>, forget: @escaping @Sendable (Mailbox<Value>) -> Void) {
        self.mailbox = mailbox
        self.forget = forget
    }

    deinit {
        mailbox.release()
        forget(mailbox)
    }
}
