/// The keys of a mode, each declared once: what a terminal sends for it, what it does, and what the help says about it.
struct KeyTable<Action: Equatable & Sendable>: Equatable, Sendable {
    struct Key: Equatable, Sendable {
        /// Empty for any other key.
        fileprivate let presses: [KeyPress]
        fileprivate let name: String
        fileprivate let action: Action
        fileprivate let meaning: String?

        /// - Parameters:
        ///   - name: Its name in the help, if that is not the first character.
        ///   - meaning: What the help says; nil for a key that it leaves out.
        init(_ presses: KeyPress..., named name: String? = nil, does action: Action, help meaning: String? = nil) {
            self.presses = presses
            self.name = name ?? presses.first?.code ?? ""
            self.action = action
            self.meaning = meaning
        }
    }

    private let keys: [Key]

    init(_ keys: [Key]) {
        self.keys = keys
    }

    /// What a key press does; nil for nothing.
    subscript(press: KeyPress) -> Action? {
        keys.first { $0.presses.isEmpty || $0.presses.contains(press) }?.action
    }

    /// The names of the keys that the help shows, and what it says about them.
    var help: [(key: String, meaning: String)] {
        keys.compactMap { key in key.meaning.map { (key.name, $0) } }
    }

    /// The help, a text for each key.
    var helpTexts: [String] { help.map { "\($0.key) \($0.meaning)" } }
}

/// A key press, as a terminal sends it.
struct KeyPress: Hashable, Sendable, ExpressibleByStringLiteral {
    /// A character, in lower case, or an escape sequence; empty for the end of the input.
    fileprivate let code: String

    /// The end of the input: the terminal was closed.
    static let end: KeyPress = ""

    init(stringLiteral code: String) {
        self.code = code
    }

    /// The key presses in bytes from a terminal.
    static func presses(in bytes: some Sequence<UInt8>) -> [KeyPress] {
        var presses: [KeyPress] = []
        var rest = Array(bytes)[...]
        while let byte = rest.popFirst() {
            let isCapital = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
            let character = String(Unicode.Scalar(isCapital ? byte | 0x20 : byte))
            presses.append(KeyPress(stringLiteral: byte == 0x1B ? sequence(&rest) : character))
        }
        return presses
    }

    /// An escape sequence without its first byte. Some terminals begin it with `ESC O` instead of `ESC [`. Alt sends an escape
    /// character before the key's own.
    private static func sequence(_ rest: inout ArraySlice<UInt8>) -> String {
        guard let kind = rest.popFirst(), kind == UInt8(ascii: "[") || kind == UInt8(ascii: "O") else {
            return "\u{1B}"
        }
        var code = "\u{1B}["
        while let byte = rest.popFirst() {
            code.unicodeScalars.append(Unicode.Scalar(byte))
            // The final byte of a control sequence (ECMA-48, 5.4).
            if (0x40...0x7E).contains(byte) { break }
        }
        return code
    }
}
