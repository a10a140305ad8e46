import Foundation

/// Runs the `accrec` that was built along with the tests.
public enum AccrecProcess {
    /// Runs `accrec` to its end.
    ///
    /// - Parameters:
    ///   - arguments: the command line after the name.
    ///   - server: the only server it can reach; with `nil` it can reach none.
    ///   - variables: added to its environment.
    ///   - directory: its working directory.
    ///   - seconds: the deadline.
    /// - Returns: its end, whatever the status, and all of its output.
    /// - Throws: `CommandFailure` if it cannot be started; `DeadlineExceeded` with its standard error.
    public static func run(
        _ arguments: [String],
        on server: PrivateServer?,
        environment variables: [String: String] = [:],
        in directory: URL? = nil,
        within seconds: Double = 60
    ) async throws -> ProcessResult {
        try await with(arguments, on: server, environment: variables, in: directory) {
            try await $0.wait(within: seconds)
        }
    }

    /// Runs a body while `accrec` runs, and kills it at the end if it has not ended by itself.
    public static func with<Value>(
        _ arguments: [String],
        on server: PrivateServer?,
        environment variables: [String: String] = [:],
        in directory: URL? = nil,
        input: ChildProcess.Input = .null,
        _ body: (ChildProcess) async throws -> Value
    ) async throws -> Value {
        let environment = (server?.environment ?? withoutServer).merging(variables) { $1 }
        return try await ChildProcess.with(
            [executable()] + arguments, environment: environment, in: directory, input: input, body)
    }

    /// The binary: SwiftPM puts it beside the test runner.
    public static func executable() throws -> String {
        let runner = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let path = URL(filePath: runner).deletingLastPathComponent().appending(path: "accrec").path
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw CommandFailure("no \(path): the tests run the accrec that `swift build` puts beside them")
        }
        return path
    }

    /// An address is named, so that libpulse looks for no other and starts none.
    private static let withoutServer = ChildProcess.baseEnvironment.merging([
        "PULSE_SERVER": "unix:/nonexistent/native",
        "XDG_RUNTIME_DIR": "/nonexistent",
        "HOME": "/nonexistent",
    ]) { $1 }
}
