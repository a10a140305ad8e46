import Foundation

/// A directory for the files of a test without a server.
public enum TemporaryDirectory {
    /// Runs a body with a new, empty directory, which is removed with its content at the end.
    public static func with<Value>(_ body: (URL) async throws -> Value) async throws -> Value {
        let directory = FileManager.default.temporaryDirectory.appending(path: "accrec-test.\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let result: Result<Value, any Error>
        do {
            result = .success(try await body(directory))
        } catch {
            result = .failure(error)
        }
        // A program that is ending may still put files there.
        try await eventually("the directory removed") {
            try? FileManager.default.removeItem(at: directory)
            return !FileManager.default.fileExists(atPath: directory.path)
        }
        return try result.get()
    }
}
