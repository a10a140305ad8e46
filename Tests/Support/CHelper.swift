import Foundation

/// Compiles the tests' auxiliary C programs and libraries.
public enum CHelper {
    /// Compiles a source file.
    ///
    /// - Parameters:
    ///   - source: Its path below `Tests`.
    ///   - product: The path of the library or program.
    ///   - options: Further compiler options.
    public static func compile(_ source: String, to product: URL, _ options: [String]) async throws {
        let command = ["clang", "-o", product.path, Project.file("Tests/\(source)").path] + options
        let result = try await ChildProcess.run(command)
        guard result.end == .exit(0) else { throw CommandFailure(command, result) }
    }

    /// The options for a library to preload.
    public static let preloaded = ["-shared", "-fPIC", "-O1", "-ldl"]

    /// The options for using a library known to `pkg-config`.
    public static func options(for library: String) async throws -> [String] {
        let command = ["pkg-config", "--cflags", "--libs", library]
        let result = try await ChildProcess.run(command)
        guard result.end == .exit(0) else { throw CommandFailure(command, result) }
        return String(decoding: result.standardOutput, as: UTF8.self).split { $0.isWhitespace }.map(String.init)
    }
}
