import SystemPackage

/// The text of a file written by a person, with limits on its size and line length.
struct SettingsText {
    /// An invalid line, counted from 1.
    struct Mistake: Equatable {
        let line: Int
        let message: String
    }

    enum Failure: Error {
        case unreadable(Errno)
        /// The file is longer than this number of bytes.
        case tooLong(Int)
        /// The file is not text. Has at least one mistake, but not necessarily all.
        case notText([Mistake])
    }

    /// In bytes.
    private static let longestLine = 65_536
    /// The maximum number of mistakes to report.
    private static let maximumMistakes = 20

    /// The text without a byte order mark.
    let text: String

    /// - Parameter longest: The maximum length in bytes.
    init(path: String, longest: Int) throws(Failure) {
        let bytes: [UInt8]
        do {
            bytes = try Self.bytes(ofFile: path, longest: longest)
        } catch let error as Errno {
            throw .unreadable(error)
        } catch {
            throw .unreadable(.ioError)
        }
        guard bytes.count <= longest else { throw .tooLong(longest) }
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let content = bytes.starts(with: mark) ? bytes.dropFirst(mark.count) : bytes[...]
        let mistakes = Self.mistakes(in: content)
        guard mistakes.isEmpty else { throw .notText(mistakes) }
        text = String(decoding: content, as: UTF8.self)
    }

    /// The bytes of a file, read only slightly beyond the maximum length.
    private static func bytes(ofFile path: String, longest: Int) throws -> [UInt8] {
        let file = try FileDescriptor.open(FilePath(path), .readOnly, options: .closeOnExec)
        return try file.closeAfter {
            var bytes: [UInt8] = []
            while bytes.count <= longest {
                let more = try [UInt8](unsafeUninitializedCapacity: 65_536) {
                    $1 = try file.read(into: UnsafeMutableRawBufferPointer($0))
                }
                if more.isEmpty { break }
                bytes += more
            }
            return bytes
        }
    }

    private static func mistakes(in content: ArraySlice<UInt8>) -> [Mistake] {
        var mistakes: [Mistake] = []
        let lines = content.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() where mistakes.count < maximumMistakes {
            if let message = mistake(in: line) { mistakes.append(Mistake(line: index + 1, message: message)) }
        }
        return mistakes
    }

    private static func mistake(in line: ArraySlice<UInt8>) -> String? {
        if line.count > longestLine { return "the line has \(line.count) bytes, more than \(longestLine)" }
        if String(validating: line, as: UTF8.self) == nil { return "it is not UTF-8 text" }
        return line.contains(0) ? "it contains a NUL character" : nil
    }
}

extension SettingsText {
    /// A line in a file.
    struct Place: Equatable, CustomStringConvertible {
        let path: String
        /// Counted from 1.
        let line: Int

        var description: String { "\(path):\(line)" }
    }
}

/// The mistakes found in a file written by a person, up to a maximum.
struct FileMistakes: Error {
    /// The maximum number of mistakes to report.
    static let maximumCount = 20
    /// So many lines with one mistake are enough.
    private static let maximumLines = 100

    let path: String
    private var mistakes: [Mistake] = []

    /// A mistake, which may be made again and again.
    private struct Mistake {
        let message: String
        /// The first lines with it; empty if it concerns the whole file.
        var lines: [Int]
        var count = 1

        /// The number of lines that are named.
        static let namedLines = 4

        mutating func add(_ other: Mistake) {
            lines += other.lines.prefix(Self.namedLines - lines.count)
            count += other.count
        }

        /// Where else it is made.
        var others: String {
            let others = lines.dropFirst()
            if others.isEmpty { return "" }
            if count >= FileMistakes.maximumLines { return " (and on \(count - 1) more lines at least)" }
            if count > lines.count { return " (and on \(count - 1) more lines)" }
            return " (and on line\(others.count == 1 ? "" : "s") \(others.map(String.init).joined(separator: ", ")))"
        }
    }

    init(path: String) {
        self.path = path
    }

    var isEmpty: Bool { mistakes.isEmpty }
    /// Whether the maximum is reached, so that there is no need to look for more.
    var isFull: Bool {
        mistakes.count >= Self.maximumCount || mistakes.contains { $0.count >= Self.maximumLines }
    }

    /// Adds a mistake.
    ///
    /// - Parameter line: Counted from 1; nil if it concerns the whole file.
    mutating func add(_ message: String, line: Int? = nil) {
        add(Mistake(message: UsageMessage.shortened(message), lines: line.map { [$0] } ?? []))
    }

    mutating func add(contentsOf others: FileMistakes) {
        for mistake in others.mistakes { add(mistake) }
    }

    /// What is wrong with every row is one mistake.
    private mutating func add(_ mistake: Mistake) {
        if let index = mistakes.firstIndex(where: { $0.message == mistake.message && !$0.lines.isEmpty }),
            !mistake.lines.isEmpty
        {
            mistakes[index].add(mistake)
        } else if !isFull {
            mistakes.append(mistake)
        }
    }

    /// The mistakes as messages, one per line, in the order of the file.
    var lines: [String] {
        let sorted = mistakes.enumerated().sorted {
            ($0.element.lines.first ?? 0, $0.offset) < ($1.element.lines.first ?? 0, $1.offset)
        }
        return sorted.map { _, mistake in
            let place = mistake.lines.first.map { "\(SettingsText.Place(path: path, line: $0))" } ?? path
            return "\(place): \(mistake.message)\(mistake.others)"
        }
    }
}
