import Glibc

/// A path with places that are filled in when a file begins.
///
/// `%Y`, `%m`, `%d`, `%H`, `%M`, `%S` and all else that strftime(3) knows is the local time at which the file begins;
/// `%%` is a percent sign. `{ms}` and `{us}` are the milliseconds (three digits) and microseconds (six) of that time,
/// `{device}` is the source's name, `{mode}` the session mode, and `{n}` a number of at least three digits: the first,
/// from 1 on, where no file is.
public struct FilePattern: Sendable, Hashable {
    /// The pattern as it was written.
    public let template: String
    private let parts: [Part]

    private enum Part: Hashable {
        /// Text that strftime(3) fills in.
        case text(String)
        case milliseconds, microseconds, device, mode, number
    }

    private static let names: [String: Part] = [
        "ms": .milliseconds, "us": .microseconds, "device": .device, "mode": .mode, "n": .number,
    ]

    /// - Throws: `outputFailed` for a name in braces or a letter after `%` that stands for nothing.
    public init(_ template: String) throws(ACCAudioRecorderError) {
        self.template = template
        var parts: [Part] = []
        var rest = template[...]
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            let name = String(rest[rest.index(after: open)..<close])
            guard let part = Self.names[name] else {
                let known = Self.names.keys.sorted().map { "{\($0)}" }.joined(separator: ", ")
                throw Self.refusal(template, cause: "{\(name)} stands for nothing", remedy: "There are \(known).")
            }
            parts += [.text(String(rest[..<open])), part]
            rest = rest[rest.index(after: close)...]
        }
        self.parts = parts + [.text(String(rest))]
        for case .text(let text) in self.parts {
            if let conversion = Self.unknownConversion(in: text) {
                throw Self.refusal(
                    template, cause: "\(conversion) stands for nothing",
                    remedy: "Write %% for a percent sign; strftime(3) lists the rest.")
            }
        }
    }

    /// Whether there is anything to fill in.
    public static func isPattern(_ path: String) -> Bool {
        path.utf8.contains(UInt8(ascii: "%"))
            || path.split(separator: "{", omittingEmptySubsequences: false).dropFirst().contains { rest in
                let name = rest.prefix { ("a"..."z").contains($0) }
                return !name.isEmpty && rest[name.endIndex...].first == "}"
            }
    }

    /// Whether files are told apart by a number.
    var hasNumber: Bool { parts.contains(.number) }

    /// The directory that all files are under, whatever is filled in.
    var directory: String {
        let fixed = template.prefix { $0 != "%" && $0 != "{" }
        guard let slash = fixed.lastIndex(of: "/") else { return "." }
        return slash == fixed.startIndex ? "/" : String(fixed[..<slash])
    }

    /// The path of a file.
    ///
    /// - Parameter number: For `{n}`.
    func path(at time: WallClock, source: AudioSource, mode: ACCAudioRecorder.AudioSessionMode, number: Int) -> String {
        parts.map { part in
            switch part {
            case .text(let text): time.formatted(text)
            case .milliseconds: Self.padded(time.nanoseconds / 1_000_000, to: 3)
            case .microseconds: Self.padded(time.nanoseconds / 1_000, to: 6)
            case .device: Self.safe(source.name)
            case .mode: Self.hyphenated(mode.rawValue)
            case .number: Self.padded(number, to: 3)
            }
        }.joined()
    }

    /// A number with zeros ahead of it.
    static func padded(_ number: Int, to digits: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(digits - text.count, 0)) + text
    }

    /// Words joined by hyphens instead of capitals.
    private static func hyphenated(_ name: String) -> String {
        name.map { $0.isUppercase ? "-\($0.lowercased())" : String($0) }.joined()
    }

    /// A name without what would make a directory of it, or hide it.
    private static func safe(_ name: String) -> String {
        let text = String(name.map { $0 == "/" || $0.isWhitespace ? "_" : $0 })
        return text.hasPrefix(".") ? "_" + text.dropFirst() : text
    }

    /// What follows a percent sign and is not among what the C library knows.
    private static func unknownConversion(in text: String) -> String? {
        var rest = text[...]
        while let percent = rest.firstIndex(of: "%") {
            // Flags, width and modifiers may stand before the letter.
            let letters = rest[percent...].dropFirst().drop { "_-0^#EO123456789".contains($0) }
            guard let letter = letters.first, "aAbBcCdDeFgGhHIjklmMnpPrRsStTuUVwWxXyYzZ%".contains(letter) else {
                return String(rest[percent...].prefix { $0 != "/" })
            }
            rest = letters.dropFirst()
        }
        return nil
    }

    private static func refusal(_ template: String, cause: String, remedy: String) -> ACCAudioRecorderError {
        .outputFailed(.init(.invalidFormat, "cannot name a file '\(template)'", cause: cause, remedy: remedy))
    }
}
