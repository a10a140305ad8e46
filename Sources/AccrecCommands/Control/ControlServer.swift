import ACCAudioRecorder
import Dispatch
import Glibc
import Synchronization
import SystemPackage

/// Serves the clients of a recording's socket on a thread of its own.
///
/// A client may have one request at a time, and is not read while that is carried out, so that one that floods waits like
/// any other. What a client does not read is buffered up to a limit, then the client is dropped.
final class ControlServer: Sendable {
    /// The number of a connection.
    typealias Client = Int

    private struct Connection {
        let descriptor: FileDescriptor
        var received: [UInt8] = []
        var unsent: ArraySlice<UInt8> = []
        /// Whether a request is being carried out, or the client follows the recording.
        var isBusy = false
        /// Whether nothing of the answer to a request has been sent yet.
        var isUnanswered = false
        /// Whether the client is disconnected once it was sent what is left.
        var isClosing = false

        /// Whether the client still gets something if the recording has ended.
        var isOwing: Bool { isUnanswered || !unsent.isEmpty }
    }

    private struct State {
        var connections: [Client: Connection] = [:]
        var count = 0
        var isEnding = false
    }

    private let socket: ControlSocket
    private let listening: FileDescriptor
    /// Wakes the thread.
    private let wake: PipeEnds
    private let state = Mutex(State())
    private let answer: @Sendable (Client, [UInt8]) -> Void

    /// More clients than this are not accepted, unless one is idle, which is dropped then: at most a quarter of the
    /// descriptors that the process may have.
    private static let largestCount = {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 128 }
        return Int(min(limit.rlim_cur / 4, 128))
    }()
    /// How long new clients wait if there is no descriptor for them, before the next attempt.
    private static let acceptInterval = Duration.milliseconds(500)
    /// The longest request in bytes.
    private static let longestRequest = 8 << 10
    /// What a client may leave unread, in bytes.
    private static let largestBacklog = 1 << 20
    /// How long the end waits for answers, and for clients to read them.
    private let lastWait: Duration
    /// Ends once all connections are closed.
    private let (life, lives) = AsyncStream<Never>.makeStream()

    /// Begins to listen.
    ///
    /// - Parameters:
    ///   - lastWait: How long the end waits for answers, and for clients to read them.
    ///   - answer: Called on the server's thread with a line without its newline; answers by `send`, later.
    static func begin(
        lastWait: Duration = .milliseconds(500),
        answer: @escaping @Sendable (_ client: Client, _ line: [UInt8]) -> Void
    ) throws(Errno) -> ControlServer {
        let (socket, descriptor) = try ControlSocket.listen()
        let server: ControlServer
        do throws(Errno) {
            server = ControlServer(socket, descriptor, try PipeEnds(), lastWait, answer)
        } catch {
            socket.remove()
            try? descriptor.close()
            throw error
        }
        DispatchQueue(label: "accrec.control").async { server.run() }
        return server
    }

    private init(
        _ socket: ControlSocket, _ listening: FileDescriptor, _ wake: consuming PipeEnds, _ lastWait: Duration,
        _ answer: @escaping @Sendable (Client, [UInt8]) -> Void
    ) {
        (self.socket, self.listening, self.lastWait, self.answer) = (socket, listening, lastWait, answer)
        self.wake = wake
        for end in [self.wake.reading.number, self.wake.writing.number] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    }

    deinit {
        try? listening.close()
    }

    /// Sends bytes to a client, if it is still there.
    ///
    /// - Parameter isMore: Whether more follows; otherwise the client may make its next request.
    /// - Returns: False if the client is gone, or was dropped because it reads too slowly.
    @discardableResult
    func send(_ bytes: some Collection<UInt8>, to client: Client, isMore: Bool = false) -> Bool {
        defer { wakeUp() }
        return state.withLock { state in
            guard var connection = state.connections[client] else { return false }
            // A long report may be longer than that.
            guard connection.unsent.isEmpty || connection.unsent.count + bytes.count <= Self.largestBacklog else {
                state.connections[client] = nil
                try? connection.descriptor.close()
                return false
            }
            connection.unsent += bytes
            (connection.isBusy, connection.isUnanswered) = (isMore, false)
            state.connections[client] = connection
            return true
        }
    }

    /// Disconnects a client once it was sent what is left.
    func close(_ client: Client) {
        state.withLock { $0.connections[client]?.isClosing = true }
        wakeUp()
    }

    /// Whether a client is still there.
    func isConnected(to client: Client) -> Bool {
        state.withLock { $0.connections[client] != nil }
    }

    /// Removes the socket, and returns once each request was answered and the clients were sent what is left, or do not
    /// read it.
    func end() async {
        socket.remove()
        state.withLock { $0.isEnding = true }
        wakeUp()
        for await _ in life {}
    }

    private func wakeUp() {
        // If the pipe is full, the thread wakes anyway.
        var byte: UInt8 = 0
        write(wake.writing.number, &byte, 1)
    }
}

// MARK: - The server's thread

extension ControlServer {
    private func run() {
        var deadline: ContinuousClock.Instant?
        /// When clients are accepted again, if there was no descriptor for one.
        var nextAccept: ContinuousClock.Instant?
        while true {
            if let time = nextAccept, time <= .now { nextAccept = nil }
            let (clients, isEnding, isOwing) = state.withLock { state in
                (watched(in: state), state.isEnding, state.connections.values.contains(where: \.isOwing))
            }
            if isEnding, !isOwing { break }
            // A negative descriptor is ignored: this one stays readable while a client waits.
            let isAccepting = nextAccept == nil && !isEnding
            var polled = [wake.reading.number, isAccepting ? listening.rawValue : -1].map {
                pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
            }
            polled += clients.map(\.poll)
            var wait = clients.contains(where: \.hasLine) ? 0 : nextAccept.map(Self.milliseconds) ?? -1
            if isEnding {
                let end = deadline ?? .now + lastWait
                deadline = end
                guard end > .now else { break }
                wait = Self.milliseconds(until: end)
            }
            let count = poll(&polled, nfds_t(polled.count), wait)
            guard count >= 0 else { continue }
            if polled[0].revents != 0 { drainWakeUps() }
            for (index, client) in clients.enumerated() where polled[index + 2].revents != 0 || client.hasLine {
                serve(client.number, polled[index + 2].revents)
            }
            if polled[1].revents != 0, !acceptClient() { nextAccept = .now + Self.acceptInterval }
        }
        state.withLock { state in
            for connection in state.connections.values { try? connection.descriptor.close() }
            state.connections = [:]
        }
        lives.finish()
    }

    /// The clients, what to wait for, and whether they have sent another request already.
    private func watched(in state: State) -> [(number: Client, poll: pollfd, hasLine: Bool)] {
        state.connections.map { number, connection in
            let isReady = !connection.isBusy && !state.isEnding
            var events: Int32 = isReady ? POLLIN : 0
            // A client with nothing left to send to is found writable at once, and closed.
            if !connection.unsent.isEmpty || connection.isClosing { events |= POLLOUT }
            let hasLine = isReady && connection.received.contains(UInt8(ascii: "\n"))
            return (number, pollfd(fd: connection.descriptor.rawValue, events: Int16(events), revents: 0), hasLine)
        }
    }

    private func drainWakeUps() {
        var bytes = [UInt8](repeating: 0, count: 64)
        while read(wake.reading.number, &bytes, bytes.count) == bytes.count {}
    }

    /// How long `poll` waits for a time in the future.
    private static func milliseconds(until time: ContinuousClock.Instant) -> Int32 {
        Int32(max(time - .now, .zero) / .milliseconds(1)) + 1
    }

    /// Accepts a client, for which an idle one may be dropped.
    ///
    /// - Returns: False if there is no descriptor for it.
    private func acceptClient() -> Bool {
        state.withLock { state in
            guard state.connections.count < Self.largestCount || dropIdleClient(&state) else { return false }
            do throws(Errno) {
                let descriptor = try FreeDescriptors.claim(for: .client) { () throws(Errno) in
                    try ControlSocket.accept(on: listening)
                }
                state.count += 1
                state.connections[state.count] = Connection(descriptor: descriptor)
                return true
            } catch {
                // Other errors are that client's.
                let isExhausted = [.tooManyOpenFiles, .tooManyOpenFilesInSystem, .noMemory].contains(error)
                return !isExhausted || dropIdleClient(&state)
            }
        }
    }

    /// Drops the oldest client that waits for nothing; false if there is none.
    private func dropIdleClient(_ state: inout State) -> Bool {
        guard let idle = state.connections.filter({ !$0.value.isBusy }).keys.min() else { return false }
        try? state.connections.removeValue(forKey: idle)?.descriptor.close()
        return true
    }

    /// Sends and receives what is possible without waiting.
    private func serve(_ client: Client, _ events: Int16) {
        let line: [UInt8]? = state.withLock { state in
            guard var connection = state.connections[client] else { return nil }
            let isOpen =
                send(&connection) && (events & Int16(POLLIN) == 0 || receive(&connection))
                && events & Int16(POLLERR | POLLHUP | POLLNVAL) == 0
                && !(connection.isClosing && connection.unsent.isEmpty)
            let line = connection.isBusy ? nil : nextLine(&connection)
            if line != nil { (connection.isBusy, connection.isUnanswered) = (true, true) }
            guard isOpen || line != nil, connection.received.count <= Self.longestRequest else {
                try? connection.descriptor.close()
                state.connections[client] = nil
                return nil
            }
            state.connections[client] = connection
            return line
        }
        if let line { answer(client, line) }
    }

    private func send(_ connection: inout Connection) -> Bool {
        while !connection.unsent.isEmpty {
            let count = connection.unsent.withUnsafeBytes {
                Glibc.send(connection.descriptor.rawValue, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return errno == EAGAIN }
            connection.unsent = connection.unsent.dropFirst(count)
        }
        return true
    }

    private func receive(_ connection: inout Connection) -> Bool {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = read(connection.descriptor.rawValue, &bytes, bytes.count)
        guard count > 0 else { return count < 0 && errno == EAGAIN }
        connection.received += bytes.prefix(count)
        return true
    }

    private func nextLine(_ connection: inout Connection) -> [UInt8]? {
        guard let end = connection.received.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        defer { connection.received.removeFirst(end + 1) }
        return Array(connection.received[..<end])
    }
}
