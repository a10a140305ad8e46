import Glibc
import SystemPackage

/// A text file that a program writes about its recording, all at once: it exists complete or not at all. A named pipe
/// or a device receives the text directly.
package struct TextFile: ~Copyable, Sendable {
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

    deinit {
        // Each write has already reported its errors.
        try? pipe?.close()
    }

    /// Writes the text.
    package func write(_ text: String) throws(ACCAudioRecorderError) {
        guard let pipe else { return try writeFile(text) }
        if let failure = Self.write(text, to: pipe) { throw failure == .wouldBlock ? slow : cannotWrite(failure) }
    }

    private func writeFile(_ text: String) throws(ACCAudioRecorderError) {
        if makesDirectories { try AtomicFile.makeDirectories(for: path) }
        // Something else may be at the path by now.
        guard try OutputPlace(path: path, replacesExisting: replacesExisting) == .file else {
            throw .outputFailed(
                .init(
                    .cannotCreate, "cannot create '\(path)'", cause: "it was replaced by a pipe or a device",
                    remedy: "Keep other programs away from it."))
        }
        let file = try AtomicFile(path: path, replacesExisting: replacesExisting, isHidden: true, isSynced: true)
        if let failure = Self.write(text, to: file.descriptor) {
            file.remove()
            throw cannotWrite(failure)
        }
        try file.keepAtPath()
    }

    private static func write(_ text: String, to descriptor: FileDescriptor) -> Errno? {
        var text = text
        return text.withUTF8 { descriptor.writeMost(of: UnsafeRawBufferPointer($0)).failure }
    }

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
