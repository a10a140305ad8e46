import ArgumentParser
import Glibc

/// The command-line arguments as raw bytes.
enum ArgumentBytes {
    /// Rejects arguments that are not UTF-8. Decoding would replace their invalid bytes, and a file would get another
    /// name than the user gave it.
    static func check() throws {
        for index in 1..<max(Int(CommandLine.argc), 1) {
            guard let argument = CommandLine.unsafeArgv[index], String(validatingCString: argument) == nil else {
                continue
            }
            throw ValidationError(
                "argument \(index), '\(String(cString: argument))', is not UTF-8. Rename the file, or use another one."
            )
        }
    }
}

/// An environment variable that the commands read. Building a dictionary of all would delay the start of a recording.
enum EnvironmentVariable: String, CaseIterable {
    case home = "HOME"
    case configurationHome = "XDG_CONFIG_HOME"
    case runtimeDirectory = "XDG_RUNTIME_DIR"
    case path = "PATH"
    case terminal = "TERM"
    case noColor = "NO_COLOR"
    case locale = "LC_ALL"
    case characterLocale = "LC_CTYPE"
    case language = "LANG"
    case systemBus = "DBUS_SYSTEM_BUS_ADDRESS"
    /// Holds the recording process's end of the pipe to its supervisor.
    case supervisor = "ACCREC_FRONT"

    /// Its value, or nil if it is not set.
    var value: String? { getenv(rawValue).map { String(cString: $0) } }
}
