import Foundation
import TestSupport

@testable import AccrecCommands

/// A runtime directory of its own for this process. Nothing else may use control sockets meanwhile.
enum RuntimeDirectory {
    /// Runs a body with a new, empty directory, which the environment names.
    static func with<Value>(_ body: (URL) async throws -> Value) async throws -> Value {
        let variable = Environment.Variable.runtimeDirectory
        let before = variable.value
        defer {
            if let before { setenv(variable.rawValue, before, 1) } else { unsetenv(variable.rawValue) }
        }
        return try await TemporaryDirectory.with { directory in
            setenv(variable.rawValue, directory.path, 1)
            return try await body(directory)
        }
    }
}
