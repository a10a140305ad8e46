import FoundationEssentials

/// Paths that do not depend on the current directory.
enum AbsolutePath {
    static func of(_ path: String) -> String {
        path.hasPrefix("/") ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
    }
}
