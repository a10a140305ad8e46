import Foundation

/// Runs the `accrec` to be installed, as `make build` has built it.
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
    ///
    /// - Parameter isUrgent: Whether it runs before all other work, if that is permitted: for tests of what it does soon, or
    ///   of what it concludes from when audio arrives.
    public static func with<Value>(
        _ arguments: [String],
        on server: PrivateServer?,
        environment variables: [String: String] = [:],
        in directory: URL? = nil,
        input: ChildProcess.Input = .null,
        isUrgent: Bool = false,
        _ body: (ChildProcess) async throws -> Value
    ) async throws -> Value {
        let environment = (server?.environment ?? withoutServer).merging(variables) { $1 }
        let command = (isUrgent ? Urgency.command : []) + [try executable()] + arguments
        return try await ChildProcess.with(command, environment: environment, in: directory, input: input, body)
    }

    /// An environment in which a shell finds the program as `accrec`.
    public static func inPath(of environment: [String: String]) throws -> [String: String] {
        let programs = URL(filePath: try executable()).deletingLastPathComponent().path
        return environment.merging(["PATH": "\(programs):\(environment["PATH", default: ""])"]) { $1 }
    }

    /// The binary to be installed.
    ///
    /// - Throws: `CommandFailure` if it has not been built, or was built from older sources.
    public static func executable() throws -> String { try builtExecutable.get() }

    private static let builtExecutable = Result { () throws(CommandFailure) in
        let binary = Project.file(".build/release/accrec")
        guard let built = modificationDate(of: binary) else {
            throw CommandFailure("no \(binary.path): run `make build`, for the tests run the accrec that is installed")
        }
        if let newer = sources.first(where: { modificationDate(of: $0).map { $0 > built } ?? false }) {
            throw CommandFailure("\(newer.path) is newer than \(binary.path): run `make build`")
        }
        return binary.path
    }

    /// What the binary is built from.
    private static var sources: [URL] {
        let sources = FileManager.default.enumerator(
            at: Project.file("Sources"), includingPropertiesForKeys: [.contentModificationDateKey])
        let files = sources?.compactMap { $0 as? URL }.filter {
            ["swift", "h", "modulemap", "ld"].contains($0.pathExtension)
        }
        return [Project.file("Package.swift")] + (files ?? [])
    }

    private static func modificationDate(of file: URL) -> Date? {
        try? file.resourceValues(forKeys: [.contentModificationDateKey]).contentModificationDate
    }

    /// An address is named, so that libpulse looks for no other and starts none.
    private static let withoutServer = ChildProcess.baseEnvironment.merging([
        "PULSE_SERVER": "unix:/nonexistent/native",
        "XDG_RUNTIME_DIR": "/nonexistent",
        "HOME": "/nonexistent",
    ]) { $1 }
}
