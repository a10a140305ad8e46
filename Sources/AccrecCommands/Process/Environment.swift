import CSpawn
import Glibc

/// The environment of a program that this one starts: this one's, byte for byte, with changes. Values need not be UTF-8.
struct Environment: ~Copyable {
    /// `NAME=value` each, and nil at the end.
    let entries: [UnsafeMutablePointer<CChar>?]

    /// - Parameter variables: Set in addition, or instead of this process's.
    init(setting variables: [String: String]) {
        var entries: [UnsafeMutablePointer<CChar>?] = []
        var entry = accrec_environment()
        while let text = entry?.pointee {
            let isReplaced = variables.keys.contains { name in
                strncmp(text, name, name.utf8.count) == 0 && text[name.utf8.count] == CChar(UInt8(ascii: "="))
            }
            if !isReplaced { entries.append(strdup(text)) }
            entry = entry?.successor()
        }
        self.entries = entries + variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
    }

    deinit {
        for entry in entries { free(entry) }
    }
}
