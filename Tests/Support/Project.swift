import Foundation

/// The files of this project.
public enum Project {
    /// The project's directory. The sanitisers' package compiles this file through a link, so it is looked for upwards.
    public static let directory: URL = {
        var directory = URL(filePath: #filePath)
        repeat {
            directory.deleteLastPathComponent()
        } while !FileManager.default.fileExists(atPath: directory.appending(path: "Sources/ACCAudioRecorder").path)
        return directory.standardized
    }()

    /// A file of the project, by its path in it.
    public static func file(_ path: String) -> URL { directory.appending(path: path) }
}
