import FoundationEssentials
import Glibc
import SystemPackage

/// A connection to a running recording.
struct ControlClient: ~Copyable {
    private let descriptor: FileDescriptor
    private var received: [UInt8] = []

    /// The longest line in bytes: a report with a hundred thousand gaps.
    private static let longestLine = 32 << 20

    init(_ socket: ControlSocket) throws(Errno) {
        descriptor = try socket.connect()
    }

    deinit {
        try? descriptor.close()
    }

    /// Sends a request.
    func send(_ request: ControlRequest) throws {
        try descriptor.writeAll(JSONText.line(request).utf8)
    }

    /// The next line, without its newline; nil once the recording has closed the connection.
    ///
    /// - Parameter timeout: In milliseconds; nil to wait as long as it takes.
    mutating func nextLine(within timeout: Int32? = nil) throws(Errno) -> Data? {
        while true {
            if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
                defer { received.removeFirst(end + 1) }
                return Data(received[..<end])
            }
            var polled = pollfd(fd: descriptor.rawValue, events: Int16(POLLIN), revents: 0)
            guard poll(&polled, 1, timeout ?? -1) != 0 else { throw .timedOut }
            guard received.count < Self.longestLine, let bytes = try readBytes() else { return nil }
            received += bytes
        }
    }

    /// What comes next, as it is; nil once the recording has closed the connection.
    mutating func nextBytes() throws(Errno) -> [UInt8]? {
        if !received.isEmpty {
            defer { received = [] }
            return received
        }
        return try readBytes()
    }

    private func readBytes() throws(Errno) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = read(descriptor.rawValue, &bytes, bytes.count)
            if count > 0 { return Array(bytes.prefix(count)) }
            if count == 0 || errno == ECONNRESET { return nil }
            if errno != EINTR { throw Errno(rawValue: errno) }
        }
    }
}

/// A recording of the same user that `accrec ctl` can reach.
struct RunningRecording {
    let socket: ControlSocket
    let status: ControlAnswer.Status

    /// How long a recording has to say that it is there, and to carry out what it is asked for, in milliseconds: it may have to open
    /// a source, and all that was captured before a pause is written first.
    static let (deadline, longestAction): (Int32, Int32) = (5_000, 60_000)

    /// The recordings that answer, by process id.
    static func all() -> [RunningRecording] {
        ControlSocket.all().compactMap { socket in
            guard
                let (answer, _) = try? Self.answer(
                    to: ControlRequest(command: .status), from: socket, within: deadline),
                let status = answer.status
            else { return nil }
            return RunningRecording(socket: socket, status: status)
        }
    }

    /// The answer of a recording to a request.
    ///
    /// - Parameter timeout: In milliseconds; nil to wait as long as it takes.
    static func answer(
        to request: ControlRequest, from socket: ControlSocket, within timeout: Int32?
    ) throws -> (answer: ControlAnswer.Received, line: Data) {
        var client = try ControlClient(socket)
        try client.send(request)
        guard let line = try client.nextLine(within: timeout) else { throw Errno.connectionReset }
        return (try JSONText.decode(ControlAnswer.Received.self, from: line), line)
    }

    /// Its file's name without the extension, or its process id.
    var name: String {
        guard let file = status.file else { return "\(socket.processID)" }
        let last = file.split(separator: "/").last.map(String.init) ?? file
        guard let dot = last.lastIndex(of: "."), dot > last.startIndex else { return last }
        return String(last[..<dot])
    }

    /// Whether somebody who names a recording like this means this one.
    func isNamed(_ name: String) -> Bool {
        name == "\(socket.processID)" || name == self.name || name == status.file
            || status.file?.hasSuffix("/\(name)") == true
    }
}
