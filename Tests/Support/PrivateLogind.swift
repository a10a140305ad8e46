/// A systemd-logind of a test's own, on a system bus of its own, which `scripts/private-logind` starts and ends.
public struct PrivateLogind: Sendable {
    /// What its clients need of the environment.
    public let environment: [String: String]

    /// Whether the kernel grants what keeps it away from the machine's own.
    public static var isPossible: Bool {
        get async throws {
            try await ChildProcess.run(["unshare", "--user", "--map-root-user", "--mount", "true"]).end == .exit(0)
        }
    }

    /// Runs a body with a logind that is ready, and takes it down whether the body returns or throws.
    ///
    /// - Throws: `CommandFailure` with what it said if it cannot be started; `DeadlineExceeded` if it is not ready within
    ///   40 seconds or not gone within 10; whatever the body throws.
    public static func with<Value>(_ body: (PrivateLogind) async throws -> Value) async throws -> Value {
        try await ServingScript.with("private-logind") { _, values in
            try await body(PrivateLogind(environment: values))
        }
    }

    /// The locks that programs hold, a line each: who, user, process, what, why, mode.
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
