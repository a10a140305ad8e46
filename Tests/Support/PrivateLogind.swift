/// A private systemd-logind on a private system bus, managed by `scripts/private-logind`.
public struct PrivateLogind: Sendable {
    /// The environment for its clients.
    public let environment: [String: String]

    /// Whether the kernel permits the namespaces that isolate it from the machine's own.
    public static var isPossible: Bool {
        get async throws {
            try await ChildProcess.run(["unshare", "--user", "--map-root-user", "--mount", "true"]).end == .exit(0)
        }
    }

    /// Runs a body with a running logind, and stops it afterwards.
    ///
    /// - Throws: `CommandFailure` with its message if it cannot be started; `DeadlineExceeded` if it is not ready
    ///   within 40 seconds or not gone within 10; errors of the body.
    public static func with<Value>(_ body: (PrivateLogind) async throws -> Value) async throws -> Value {
        try await ServingScript.with("private-logind") { _, values in
            try await body(PrivateLogind(environment: values))
        }
    }

    /// The inhibitor locks, one per line: who, user, process, what, why, mode.
    public var locks: [String] {
        get async throws {
            let command = ["systemd-inhibit", "--list", "--no-pager", "--no-legend"]
            let result = try await ChildProcess.run(
                command, environment: ChildProcess.baseEnvironment.merging(environment) { $1 })
            guard result.end == .exit(0) else { throw CommandFailure(command, result) }
            return result.text.split(separator: "\n").map(String.init).filter { $0 != "No inhibitors." }
        }
    }
}
