import Foundation

/// A terminal with a shell, driven through tmux, which types and reads the screen.
public struct TmuxTerminal: Sendable {
    private let socket: String
    private let environment: [String: String]

    /// Runs a body with a terminal, whose shell uses the server's directory and environment.
    ///
    /// - Parameters:
    ///   - variables: Additional environment variables.
    ///   - columns: The width of the window.
    ///   - rows: The height of the window.
    public static func with<Value>(
        on server: PrivateServer, environment variables: [String: String] = [:], columns: Int = 80, rows: Int = 24,
        _ body: (TmuxTerminal) async throws -> Value
    ) async throws -> Value {
        let environment = server.environment.merging(variables) { $1 }
        let terminal = TmuxTerminal(
            socket: server.directory.appending(path: "tmux").path, environment: environment)
        let shell = "PS1='$ ' exec bash --noprofile --norc -i"
        // Without the user's tmux configuration, so that only the tests set the size.
        try await terminal.tmux(
            "-f", "/dev/null", "new-session", "-d", "-x", "\(columns)", "-y", "\(rows)", "-c", server.directory.path,
            shell)
        let result: Result<Value, any Error>
        do {
            try await terminal.waitForScreen("a prompt") { $0.first == "$" }
            result = .success(try await body(terminal))
        } catch {
            result = .failure(error)
        }
        // In a separate task, because a test that exceeds its time limit is cancelled.
        _ = try await Task { try await terminal.tmux("kill-server") }.value
        return try result.get()
    }

    @discardableResult
    private func tmux(_ arguments: String...) async throws -> String {
        let command = ["tmux", "-S", socket] + arguments
        let result = try await ChildProcess.run(command, environment: environment, within: 20)
        guard result.end == .exit(0) else { throw CommandFailure(command, result) }
        return result.text
    }

    /// Types a line into the shell.
    public func enter(_ line: String) async throws {
        try await tmux("send-keys", "-l", line)
        try await tmux("send-keys", "Enter")
    }

    /// Presses a key, by tmux's name: `q`, `Space`, `C-c`.
    public func press(_ key: String) async throws {
        try await tmux("send-keys", key)
    }

    /// Closes the window: the shell and its jobs lose their terminal.
    public func close() async throws {
        try await tmux("new-session", "-d", "-s", "other")
        try await tmux("kill-session", "-t", "0")
    }

    /// Resizes the window.
    public func resize(columns: Int, rows: Int) async throws {
        try await tmux("resize-window", "-x", "\(columns)", "-y", "\(rows)")
    }

    /// The content of the screen, without empty rows at the end.
    public func screen() async throws -> [String] {
        var rows = try await tmux("capture-pane", "-p").components(separatedBy: "\n")
        while rows.last == "" { rows.removeLast() }
        return rows
    }

    /// Waits until the screen meets a condition, and returns it.
    ///
    /// - Throws: `DeadlineExceeded` with the content of the screen.
    @discardableResult
    public func waitForScreen(
        _ what: String, within seconds: Double = 15, _ condition: ([String]) -> Bool
    ) async throws -> [String] {
        var last: [String] = []
        do {
            return try await eventually(what, within: seconds) {
                last = try await screen()
                return condition(last) ? last : nil
            }
        } catch let failure as DeadlineExceeded {
            throw CommandFailure("\(failure), but:\n\(last.joined(separator: "\n"))")
        }
    }
}
