import Glibc

/// A path with placeholders that are filled in when a file begins.
///
/// `%Y`, `%m`, `%d`, `%H`, `%M`, `%S` and everything else in strftime(3) give the local time at which the file begins;
/// `%%` is a percent sign, `{{` an opening brace. `{utc:%H}` has the same conversions in UTC, in which no hour comes twice.
/// `{ms}` and `{us}` are the milliseconds (three digits) and microseconds (six digits) of that time, `{device}` is the
/// source's name, `{mode}` the session mode, and `{n}` a number of at least three digits, counted from 1, that is not taken
/// by an existing file.
public struct FilePattern: Sendable, Hashable {
    /// The pattern as given.
    public let template: String
    private let parts: [Part]

    fileprivate enum Part: Hashable {
        /// Text for strftime(3) to format.
        case text(String)
        /// The same, in UTC.
        case universalTime(String)
        case milliseconds, microseconds, device, mode, number
    }

    private static let names: [String: Part] = [
        "ms": .milliseconds, "us": .microseconds, "device": .device, "mode": .mode, "n": .number,
    ]

    /// - Throws: `outputFailed` for an unknown name in braces or an unknown letter after `%`.
    public init(_ template: String) throws(ACCAudioRecorderError) {
        self.template = template
        var parts: [Part] = []
        var rest = template[...]
        while let open = rest.firstIndex(of: "{") {
            if rest[open...].hasPrefix("{{") {
                parts.append(.text(String(rest[...open])))
                rest = rest[open...].dropFirst(2)
                continue
            }
            guard let close = rest[open...].firstIndex(of: "}") else { break }
            let name = String(rest[rest.index(after: open)..<close])
            guard let part = Self.names[name] ?? Self.universalTime(name) else {
                let known = (Self.names.keys + ["input", "utc:%H"]).sorted().map { "{\($0)}" }.joined(separator: ", ")
                throw Self.refusal(
                    template, cause: "unknown placeholder '{\(name)}'",
                    remedy: "Write {{ for a brace; known placeholders are \(known).")
            }
            parts += [.text(String(rest[..<open])), part]
            rest = rest[rest.index(after: close)...]
        }
        self.parts = parts + [.text(String(rest))]
        for part in self.parts {
            guard let conversion = part.unknownConversion else { continue }
            throw Self.refusal(
                template, cause: "unknown placeholder '\(conversion)'",
                remedy: "Write %% for a percent sign; strftime(3) lists the placeholders.")
        }
    }

    /// The part of a name such as `utc:%H-%M`; nil for any other, and without a conversion.
    private static func universalTime(_ name: String) -> Part? {
        guard name.hasPrefix("utc:"), !name.contains("{"), name.contains("%") else { return nil }
        return .universalTime(String(name.dropFirst(4)))
    }

    /// Whether a path contains placeholders.
    public static func isPattern(_ path: String) -> Bool {
        path.utf8.contains(UInt8(ascii: "%"))
            || path.split(separator: "{", omittingEmptySubsequences: false).dropFirst().contains { rest in
                let name = rest.prefix { ("a"..."z").contains($0) }
                return !name.isEmpty && rest[name.endIndex...].first == "}"
            }
    }

    /// A template for a path in which nothing is a placeholder.
    package static func escaped(_ path: String) -> String {
        path.replacing("%", with: "%%").replacing("{", with: "{{")
    }

    /// Whether the path of a later file may be another one: it has a number or a time.
    package var varies: Bool {
        parts.contains { part in
            switch part {
            case .number, .milliseconds, .microseconds: true
            case .device, .mode: false
            case .text(let text), .universalTime(let text):
                ["%%", "%n", "%t"].reduce(text) { $0.replacing($1, with: "") }.contains("%")
            }
        }
    }

    /// Whether the pattern contains `{n}`.
    package var hasNumber: Bool { parts.contains(.number) }

    /// The path of a file that needs no more than a number to be known; nil if there are other placeholders.
    package func path(number: Int) -> String? {
        var path = ""
        for part in parts {
            switch part {
            case .number: path += Self.padded(number, to: 3)
            case .text(let text):
                guard !text.replacing("%%", with: "").contains("%") else { return nil }
                path += text.replacing("%%", with: "%")
            case .universalTime, .milliseconds, .microseconds, .device, .mode: return nil
            }
        }
        return path
    }

    /// The part of the path that has no placeholders: a directory above all files.
    package var directory: String {
        let fixed = template.unicodeScalars.prefix { $0 != "%" && $0 != "{" }
        guard let slash = fixed.lastIndex(of: "/") else { return "." }
        return slash == fixed.startIndex ? "/" : String(fixed[..<slash])
    }

    /// The path of a file.
    ///
    /// - Parameter number: The value of `{n}`.
    func path(at time: WallClock, sourceName: String, modeName: String, number: Int) -> String {
        parts.map { part in
            switch part {
            case .text(let text): time.formatted(text)
            case .universalTime(let text): time.formatted(text, inUTC: true)
            case .milliseconds: Self.padded(time.nanoseconds / 1_000_000, to: 3)
            case .microseconds: Self.padded(time.nanoseconds / 1_000, to: 6)
            case .device: Self.safe(sourceName)
            case .mode: Self.hyphenated(modeName)
            case .number: Self.padded(number, to: 3)
            }
        }.joined()
    }

    /// A number padded with leading zeros.
    static func padded(_ number: Int, to digits: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(digits - text.count, 0)) + text
    }

    /// A camel-case name in lower case, with hyphens between the words.
    private static func hyphenated(_ name: String) -> String {
        name.map { $0.isUppercase ? "-\($0.lowercased())" : String($0) }.joined()
    }

    /// A name that is safe within a file name: no slash, no leading dot, no white space, control characters or
    /// characters that change the text direction.
    private static func safe(_ name: String) -> String {
        var scalars = String.UnicodeScalarView(
            name.unicodeScalars.map { scalar in
                switch scalar.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator: "_"
                default: scalar == "/" ? "_" : scalar
                }
            })
        if scalars.first == "." { scalars.replaceSubrange(...scalars.startIndex, with: ["_"]) }
        return String(scalars)
    }

    private static func refusal(_ template: String, cause: String, remedy: String) -> ACCAudioRecorderError {
        .outputFailed(.init(.invalidFormat, "cannot name a file '\(template)'", cause: cause, remedy: remedy))
    }
}

extension FilePattern.Part {
    /// The first conversion that cannot be filled in; nil if there is none.
    fileprivate var unknownConversion: String? {
        switch self {
        case .text(let text): Self.unknownConversion(in: text, known: Self.conversions)
        // The C library would take the time for local time, to count seconds since 1970.
        case .universalTime(let text):
            Self.unknownConversion(in: text, known: Self.conversions.replacing("s", with: ""))
        case .milliseconds, .microseconds, .device, .mode, .number: nil
        }
    }

    private static let conversions = "aAbBcCdDeFgGhHIjklmMnpPrRsStTuUVwWxXyYzZ%"

    /// The first conversion (percent sign and what follows) that the C library does not know.
    private static func unknownConversion(in text: String, known: String) -> String? {
        var rest = text.unicodeScalars[...]
        while let percent = rest.firstIndex(of: "%") {
            // Flags, a width of one or two digits, and a modifier may precede the letter.
            let flags = rest[percent...].dropFirst().drop { "_-0^#".unicodeScalars.contains($0) }
            let width = flags.prefix { ("0"..."9").contains($0) }
            let letters = flags[width.endIndex...].drop { "EO".unicodeScalars.contains($0) }
            guard let letter = letters.first,
                known.unicodeScalars.contains(letter), width.count <= 2
            else { return String(rest[percent..<letters.startIndex]) + String(letters.prefix(1)) }
            rest = letters.dropFirst()
        }
        return nil
    }
}

/// The path of a file, split before its extension, to derive names beside it.
package struct PathStem {
    let stem: String
    /// The extension with its dot; empty if there is none.
    let pathExtension: String

    init(stem: String, pathExtension: String) {
        (self.stem, self.pathExtension) = (stem, pathExtension)
    }

    package init(_ path: String) {
        // Works on Unicode scalars, because a slash and a combining mark after it form one character.
        let scalars = path.unicodeScalars
        let name = scalars.lastIndex(of: "/").map { scalars.index(after: $0) } ?? scalars.startIndex
        let dot = scalars[name...].dropFirst().lastIndex(of: ".") ?? scalars.endIndex
        stem = String(scalars[..<dot])
        pathExtension = String(scalars[dot...])
    }

    /// The path with more text before the extension.
    package func path(suffix: String) -> String { stem + suffix + pathExtension }

    /// The path with a number; without one for number 1.
    package func path(_ number: Int) -> String {
        number > 1 ? "\(stem)-\(FilePattern.padded(number, to: 3))\(pathExtension)" : stem + pathExtension
    }

    /// The first number, starting from this one, whose path does not exist.
    package func firstFree(from number: Int) -> Int {
        var number = number
        while Self.isTaken(path(number)) { number += 1 }
        return number
    }

    /// Whether something exists at this path.
    package static func isTaken(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }
}
