import FoundationEssentials
import SystemPackage

/// A recording of the same user that `accrec ctl` can reach.
struct RunningRecording {
    let socket: ControlSocket
    let status: ControlStatus

    /// How long a recording has to answer, in milliseconds.
    static let deadline: Int32 = 2_000

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
    ) throws -> (answer: ReceivedAnswer, line: Data) {
        var client = try ControlClient(socket)
        try client.send(request)
        guard let line = try client.nextLine(within: timeout) else { throw Errno.connectionReset }
        return (try JSONText.decode(ReceivedAnswer.self, from: line), line)
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
