import FoundationEssentials
import SystemPackage

/// A take of the same user that `accrec ctl` can reach.
struct RunningTake {
    let socket: ControlSocket
    let status: ControlStatus

    /// How long a take has to answer, in milliseconds.
    static let deadline: Int32 = 2_000

    /// The takes that answer, by process id.
    static func all() -> [RunningTake] {
        ControlSocket.all().compactMap { socket in
            guard let answer = try? Self.answer(to: ControlRequest(command: .status), from: socket, within: deadline),
                let status = answer.status
            else { return nil }
            return RunningTake(socket: socket, status: status)
        }
    }

    /// The answer of a take to a request.
    ///
    /// - Parameter timeout: In milliseconds; nil to wait as long as it takes.
    static func answer(
        to request: ControlRequest, from socket: ControlSocket, within timeout: Int32?
    ) throws -> ReceivedAnswer {
        var client = try ControlClient(socket)
        try client.send(request)
        guard let line = try client.nextLine(within: timeout) else { throw Errno.connectionReset }
        return try ReceivedAnswer(line)
    }

    /// Its file's name without the extension, or its process id.
    var name: String {
        guard let file = status.file else { return "\(socket.processID)" }
        let last = file.split(separator: "/").last.map(String.init) ?? file
        guard let dot = last.lastIndex(of: "."), dot > last.startIndex else { return last }
        return String(last[..<dot])
    }

    /// Whether somebody who names a take like this means this one.
    func isNamed(_ name: String) -> Bool {
        name == "\(socket.processID)" || name == self.name || name == status.file
            || status.file?.hasSuffix("/\(name)") == true
    }
}

/// What an answer says about a file that was saved.
struct SavedFile: Decodable {
    let path: String?
    let seconds: Double
}

/// An answer as a client reads it, and the line it came in.
struct ReceivedAnswer {
    let line: Data
    let ok: Bool
    let message: String?
    let status: ControlStatus?
    /// The file that was saved.
    let saved: SavedFile?
    /// The exit status of a take that has ended, and its files.
    let exitStatus: Int32?
    let keptFiles: [String]

    private struct Content: Decodable {
        struct Report: Decodable {
            struct Output: Decodable {
                let path: String?
            }
            let exitStatus: Int32
            let outputs: [Output]
        }
        let ok: Bool
        let message: String?
        let status: ControlStatus?
        let saved: SavedFile?
        let report: Report?
    }

    init(_ line: Data) throws {
        let content = try JSONText.decode(Content.self, from: line)
        self.line = line
        (ok, message, status) = (content.ok, content.message, content.status)
        (saved, exitStatus) = (content.saved, content.report?.exitStatus)
        keptFiles = content.report?.outputs.compactMap(\.path) ?? []
    }
}
