import Foundation

/// A server's record streams, and what an administrator can do to them.
extension PrivateServer {
    /// The server's index of the record stream of a process.
    public func recordStream(ofProcess processID: pid_t) async throws -> String {
        let stream = try await description(ofStreamOf: processID)
        return String(stream.prefix { $0 != "\n" })
    }

    /// Moves the record stream of a process to another source, retrying until the move is noticed. WirePlumber forgets
    /// a move that arrives while it examines the first link of a stream.
    public func moveRecordStream(
        ofProcess processID: pid_t, to source: String, isNoticed: () -> Bool
    ) async throws {
        let clock = ContinuousClock()
        var nextMove = clock.now
        try await eventually("a move of the stream of process \(processID) noticed", within: 20) {
            if isNoticed() { return true }
            if clock.now >= nextMove {
                try await pactl("move-source-output", recordStream(ofProcess: processID), source)
                nextMove = clock.now + .seconds(3)
            }
            return false
        }
    }

    /// Kills the record stream of a process as an administrator would: with PulseAudio's command line, or PipeWire's
    /// `pw-cli`.
    public func killRecordStream(ofProcess processID: pid_t) async throws {
        switch kind {
        case .pulseAudio:
            let socket = directory.appending(path: "cli").path
            try await loadModule("module-cli-protocol-unix", ["socket=\(socket)"])
            try Self.send("kill-source-output \(try await recordStream(ofProcess: processID))\n", to: socket)
        case .pipeWire:
            let stream = try await description(ofStreamOf: processID)
            guard let node = stream.firstMatch(of: /object\.id = "([0-9]+)"/) else {
                throw CommandFailure("no node in \(stream)")
            }
            let command = ["pw-cli", "destroy", String(node.1)]
            let result = try await ChildProcess.run(command, environment: environment, within: 20)
            guard result.end == .exit(0) else { throw CommandFailure(command, result) }
        }
    }

    /// The server's description of the record stream of a process, beginning with its index.
    private func description(ofStreamOf processID: pid_t) async throws -> String {
        let streams = try await pactl("list", "source-outputs").components(separatedBy: "Source Output #").dropFirst()
        guard let own = streams.first(where: { $0.contains("application.process.id = \"\(processID)\"") }) else {
            throw CommandFailure("no record stream of process \(processID)")
        }
        return own
    }

    /// Connects to a socket, and writes a text that is short enough for a single write.
    private static func send(_ text: String, to path: String) throws {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8).prefix($0.count - 1)) }
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard connected == 0, Foundation.write(descriptor, text, text.utf8.count) == text.utf8.count else {
            throw CommandFailure("\(path): \(String(cString: strerror(errno)))")
        }
    }
}
