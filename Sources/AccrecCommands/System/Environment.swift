import ArgumentParser
import CSpawn
import FoundationEssentials
import Glibc

/// The environment of a program that this one starts: this one's, byte for byte, with changes. Values need not be UTF-8.
struct Environment: ~Copyable {
    /// `NAME=value` each, and nil at the end.
    let entries: [UnsafeMutablePointer<CChar>?]

    /// - Parameters:
    ///   - variables: Set in addition, or instead of this process's.
    ///   - others: The names of those that are left out.
    init(setting variables: [String: String], without others: [String] = []) {
        var entries: [UnsafeMutablePointer<CChar>?] = []
        var entry = accrec_environment()
        while let text = entry?.pointee {
            let isNamed = { (name: String) in
                strncmp(text, name, name.utf8.count) == 0 && text[name.utf8.count] == CChar(UInt8(ascii: "="))
            }
            if !variables.keys.contains(where: isNamed), !others.contains(where: isNamed) {
                entries.append(strdup(text))
            }
            entry = entry?.successor()
        }
        self.entries = entries + variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
    }

    deinit {
        for entry in entries { free(entry) }
    }
}

extension CommandLine {
    /// Rejects arguments that are not UTF-8. Decoding would replace their invalid bytes, and a file would get another
    /// name than the user gave it.
    static func requireUTF8() throws {
        for index in 1..<max(Int(argc), 1) {
            guard let argument = unsafeArgv[index], String(validatingCString: argument) == nil else {
                continue
            }
            throw ValidationError(
                "argument \(index), '\(String(cString: argument))', is not UTF-8. Rename the file, or use another one."
            )
        }
    }
}

extension Environment {
    /// An environment variable that the commands read. Building a dictionary of all would delay the start of a recording.
    enum Variable: String, CaseIterable {
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
        /// The socket of the service manager, and when it takes a service for hung (sd_notify(3)).
        case notifySocket = "NOTIFY_SOCKET"
        case watchdogInterval = "WATCHDOG_USEC"
        case watchdogProcess = "WATCHDOG_PID"
        /// Holds the recording process's end of the pipe to its supervisor.
        case supervisor = "ACCREC_FRONT"

        /// Its value, or nil if it is not set.
        var value: String? { getenv(rawValue).map { String(cString: $0) } }
    }
}

extension String {
    /// The path, which does not depend on the current directory.
    var absolutePath: String {
        hasPrefix("/") ? self : "\(FileManager.default.currentDirectoryPath)/\(self)"
    }
}
