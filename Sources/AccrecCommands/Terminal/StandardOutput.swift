import ACCAudioRecorder
import FoundationEssentials
import Glibc
import SystemPackage

/// Standard output, used for tables, JSON and help. Lines are made printable (`PrintableText`).
enum StandardOutput {
    /// Whether it is open for writing.
    static var isWritable: Bool {
        let flags = fcntl(STDOUT_FILENO, F_GETFL)
        return flags >= 0 && flags & O_ACCMODE != O_RDONLY
    }

    /// Whether it goes to a regular file.
    static var isFile: Bool {
        var status = stat()
        return fstat(STDOUT_FILENO, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// Writes lines; on a terminal, wrapped between words.
    static func write(lines: [String]) throws(RunFailure) {
        let columns = isatty(STDOUT_FILENO) == 1 ? WindowSize(of: STDOUT_FILENO).columns : nil
        try put(WrappedText(lines: lines.map { PrintableText.line($0) }, columns: columns, indent: indent).text)
    }

    /// The indentation of continuation lines that have no other.
    private static let indent = 2

    /// Writes table rows for other programs, with fields separated by tabs: of many, some at a time.
    static func write(rows: some Sequence<[String]>) throws(RunFailure) {
        var text = ""
        for row in rows {
            text += row.map { PrintableText.line($0) }.joined(separator: "\t") + "\n"
            guard text.utf8.count > longestPart else { continue }
            try put(text)
            text = ""
        }
        try put(text)
    }

    /// In bytes.
    private static let longestPart = 64 << 10

    /// Writes a value as a line of JSON.
    static func write(json value: some Encodable) throws {
        try put(JSONText.line(value))
    }

    /// Writes a line of JSON that was received, without its newline.
    static func write(jsonLine line: Data) throws(RunFailure) {
        try put(PrintableText.line(String(decoding: line, as: UTF8.self)) + "\n")
    }

    /// Writes bytes as they are.
    static func write(bytes: [UInt8]) throws(RunFailure) {
        do {
            try FileDescriptor.standardOutput.writeAll(bytes)
        } catch {
            throw failure(error as? Errno ?? .ioError)
        }
    }

    private static func failure(_ cause: Errno) -> RunFailure {
        RunFailure(
            "cannot write to standard output", "\(cause)", "Check where it goes, and that there is free space.",
            isOfReader: cause == .brokenPipe)
    }

    /// Not buffered, so that the reader of a pipe gets it at once.
    private static func put(_ text: String) throws(RunFailure) {
        do throws(Errno) {
            try FileDescriptor.standardOutput.writeWhole(text)
        } catch {
            throw failure(error)
        }
    }
}

extension FileDescriptor {
    fileprivate func writeWhole(_ text: String) throws(Errno) {
        do {
            try writeAll(text.utf8)
        } catch let error as Errno {
            throw error
        } catch {
            throw .ioError
        }
    }
}
