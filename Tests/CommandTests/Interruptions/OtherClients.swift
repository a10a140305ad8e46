import TestSupport

/// Other programs that record the same source.
enum OtherClients {
    /// Runs a body while this many of them run.
    ///
    /// - Parameter latency: What they ask the server to collect before it delivers, in milliseconds; nil for the server's
    ///   default.
    static func with<Value>(
        _ count: Int, recording source: String, latency: Int?, on server: PrivateServer,
        _ body: () async throws -> Value
    ) async throws -> Value {
        guard count > 0 else { return try await body() }
        let parec = ["parec", "--device=\(source)"] + (latency.map { ["--latency-msec=\($0)"] } ?? [])
        return try await ChildProcess.with(parec, environment: server.environment) { _ in
            try await with(count - 1, recording: source, latency: latency, on: server, body)
        }
    }
}
