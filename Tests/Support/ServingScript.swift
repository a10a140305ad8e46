import Foundation

/// Runs a script of the project that starts a service, prints the environment for its clients, and runs for as long as
/// its standard input is open. The service therefore stops even if the test runner is killed.
enum ServingScript {
    /// Runs a body with the printed variables, and lets the script end afterwards.
    ///
    /// - Throws: `CommandFailure` with the script's output if it fails; `DeadlineExceeded` if it is not ready within 40
    ///   seconds or not gone within 10; errors of the body.
    static func with<Value>(
        _ name: String, _ arguments: [String] = [],
        body: (ChildProcess, _ values: [String: String]) async throws -> Value
    ) async throws -> Value {
        let path = Project.file("scripts/\(name)").path
        return try await ChildProcess.with([path] + arguments, input: .pipe) { script in
            let result: Result<Value, any Error>
            do {
                result = .success(try await body(script, try await values(of: script, name)))
            } catch {
                result = .failure(error)
            }
            script.closeInput()
            // In a separate task, because a test that exceeds its time limit is cancelled, which ends its waits at
            // once.
            let end = try await Task { try await script.wait(within: 10) }.value
            let value = try result.get()
            guard end.end == .exit(0) else { throw CommandFailure([name] + arguments, end) }
            return value
        }
    }

    /// Starts the script, which ends with this process or when its standard input is closed.
    ///
    /// - Throws: As `with`.
    static func start(_ name: String, _ arguments: [String]) async throws -> (ChildProcess, values: [String: String]) {
        let script = try ChildProcess.start([Project.file("scripts/\(name)").path] + arguments)
        return (script, try await values(of: script, name))
    }

    /// The variables that the script prints, as soon as it is ready.
    private static func values(of script: ChildProcess, _ name: String) async throws -> [String: String] {
        let lines = try await eventually("\(name): \(script.standardError)", within: 40) {
            let lines = String(decoding: script.standardOutput, as: UTF8.self).split(separator: "\n")
            guard lines.last == "ready" || script.isRunning else {
                throw CommandFailure("\(name) ended: \(script.standardError)")
            }
            return lines.last == "ready" ? lines : nil
        }
        let pairs = lines.dropLast().map { line in
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (String(parts[0]), String(parts[1]))
        }
        return Dictionary(pairs) { $1 }
    }
}
