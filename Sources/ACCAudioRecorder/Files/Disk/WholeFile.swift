import Glibc
import SystemPackage

/// A file that a program writes about a recording, all at once: it exists complete or not at all. A named pipe or a device
/// receives the content directly.
package struct WholeFile: ~Copyable, Sendable {
    private let path: String
    private let replacesExisting: Bool
    private let makesDirectories: Bool
    /// Opened in advance; nil for a file.
    private let pipe: FileDescriptor?

    /// Checks what can be checked before the recording starts. Opens only a pipe or a device.
    package init(
        path: String, replacesExisting: Bool, makesDirectories: Bool = false
    ) throws(ACCAudioRecorderError) {
        (self.path, self.replacesExisting, self.makesDirectories) = (path, replacesExisting, makesDirectories)
        let place = try OutputPlace(
            path: path, replacesExisting: replacesExisting, makesDirectories: makesDirectories)
        guard place == .stream else {
            pipe = nil
            return
        }
        let number = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        let failure = Errno(rawValue: errno)
        guard number >= 0 else { throw .cannotOpen(path, failure) }
        pipe = FileDescriptor(rawValue: number)
    }

    /// Whether it is a named pipe or a device, which takes one content after another.
    package var isStream: Bool { pipe != nil }

    deinit {
        // Each write has already reported its errors.
        try? pipe?.close()
    }

    /// Writes a text.
    package func write(_ text: String) throws(ACCAudioRecorderError) {
        try write(Array(text.utf8))
    }

    /// Writes bytes.
    package func write(_ bytes: [UInt8]) throws(ACCAudioRecorderError) {
        if let pipe {
            guard let failure = Self.write(bytes, to: pipe) else { return }
            throw failure == .wouldBlock ? slow : cannotWrite(failure)
        }
        let file = try newFile()
        if let failure = Self.write(bytes, to: file.descriptor) {
            file.remove()
            throw cannotWrite(failure)
        }
        try file.keepAtPath()
    }

    /// Writes a text that may be larger than memory, piece by piece. A reader of a pipe may take ten seconds for a piece.
    ///
    /// - Parameter body: Appends the pieces. If it throws, there is no file.
    package func writePieces(_ body: (_ append: (String) throws -> Void) throws -> Void) throws {
        if let pipe { return try body { try append($0, to: pipe) } }
        let file = try newFile()
        let descriptor = file.descriptor
        do {
            try body { try append($0, to: descriptor) }
        } catch {
            file.remove()
            throw error
        }
        try file.keepAtPath()
    }

    private func newFile() throws(ACCAudioRecorderError) -> AtomicFile {
        if makesDirectories { try AtomicFile.makeDirectories(for: path) }
        // Something else may be at the path by now.
        guard try OutputPlace(path: path, replacesExisting: replacesExisting) == .file else {
            throw .outputFailed(
                .init(
                    .cannotCreate, "cannot create '\(path)'", cause: "it was replaced by a pipe or a device",
                    remedy: "Keep other programs away from it."))
        }
        return try AtomicFile(path: path, replacesExisting: replacesExisting, isHidden: true, isSynced: true)
    }

    private static func write(_ bytes: [UInt8], to descriptor: FileDescriptor) -> Errno? {
        bytes.withUnsafeBytes { descriptor.writeMost(of: $0).failure }
    }

    private func append(_ text: String, to descriptor: FileDescriptor) throws(ACCAudioRecorderError) {
        // A pipe may take a part that ends within a character.
        var rest = Array(text.utf8)[...]
        while true {
            let (count, failure) = rest.withUnsafeBytes { descriptor.writeMost(of: $0) }
            guard let failure else { return }
            guard failure == .wouldBlock else { throw cannotWrite(failure) }
            rest = rest.dropFirst(count)
            var poll = pollfd(fd: descriptor.rawValue, events: Int16(POLLOUT), revents: 0)
            guard Glibc.poll(&poll, 1, Self.longestWait) > 0 else { throw slow }
        }
    }

    /// How long a reader of a pipe may take for a piece, in milliseconds.
    private static let longestWait: Int32 = 10_000

    private var slow: ACCAudioRecorderError {
        .outputFailed(
            .init(
                .readerTooSlow, "cannot write '\(path)'", cause: "nobody is reading what it already holds",
                remedy: "Keep its reader running."))
    }

    private func cannotWrite(_ cause: Errno) -> ACCAudioRecorderError {
        let isFull = cause == .noSpace || cause == .diskQuotaExceeded
        return .outputFailed(
            .init(
                isFull ? .diskFull : .cannotWrite, "cannot write '\(path)'", cause: "\(cause)",
                remedy: isFull ? "Free some space on its disk." : "Name a writable file."))
    }
}
