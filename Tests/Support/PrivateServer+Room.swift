import Foundation

/// A server with a sink to record, and the files of a test on it.
extension PrivateServer {
    /// Runs a body with a server that has a sink `room`.
    ///
    /// - Parameters:
    ///   - format: The format of the sink and of the signal.
    ///   - signal: What plays in the sink in a loop; nil for nothing. The sink's monitor, `room.monitor`, delivers it bit
    ///     for bit.
    @discardableResult
    public static func withRoom<Value>(
        _ kind: ServerKind, _ format: PCMFormat = PCMFormat(), playing signal: Player.Signal? = nil,
        _ body: (PrivateServer) async throws -> Value
    ) async throws -> Value {
        try await with(kind) { server in
            try await server.loadNullSink("room", format)
            guard let signal else { return try await body(server) }
            return try await Player.with(signal, format, into: "room", on: server) { _ in try await body(server) }
        }
    }

    /// A file in the test's directory.
    public func file(_ name: String) -> URL { directory.appending(path: name) }

    /// Whether there is such a file.
    public func hasFile(_ name: String) -> Bool { FileManager.default.fileExists(atPath: file(name).path) }

    /// The names of the files in the test's directory.
    public func fileNames() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
    }

    /// The content of a text file.
    public func text(_ name: String) throws -> String { try String(contentsOf: file(name), encoding: .utf8) }

    /// Writes a text file.
    public func write(_ text: String, to name: String) throws { try Data(text.utf8).write(to: file(name)) }

    /// The process ID that a shell has written to a file.
    public func processID(in name: String) throws -> pid_t {
        let text = try text(name)
        guard let number = pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw CommandFailure("no process ID in \(name): \(text)")
        }
        return number
    }

    /// The content of a WAV file.
    public func wav(_ name: String = "take.wav") throws -> PCMFile { try PCMFile(wav: file(name)) }
}
