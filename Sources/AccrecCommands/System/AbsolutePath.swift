import FoundationEssentials

extension String {
    /// The path, which does not depend on the current directory.
    var absolutePath: String {
        hasPrefix("/") ? self : "\(FileManager.default.currentDirectoryPath)/\(self)"
    }
}
