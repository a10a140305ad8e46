import Foundation
import TestSupport
import Testing

@testable import ACCAudioRecorder

@Suite struct WholeFileTests {
    private func reason(_ body: () throws -> Void) -> ACCAudioRecorderError.Failure.Reason? {
        do {
            try body()
            return nil
        } catch {
            return (error as? ACCAudioRecorderError)?.failure?.reason
        }
    }

    @Test func isWrittenAtomically() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.appending(path: "report.json").path
            let file = try WholeFile(path: path, replacesExisting: false)
            #expect(!FileManager.default.fileExists(atPath: path))
            try file.write("text")
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "text")
            // Somebody else has created it in the meantime.
            #expect(reason { try file.write("another") } == .fileExists)
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "text")
        }
    }

    @Test("A program that waits for the file never finds it incomplete", arguments: [false, true])
    func isNeverSeenIncomplete(replacesExisting: Bool) async throws {
        try await TemporaryDirectory.with { directory in
            let watch = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
            defer { close(watch) }
            inotify_add_watch(watch, directory.path, UInt32(IN_MODIFY | IN_CREATE | IN_MOVED_TO))
            try WholeFile(path: directory.appending(path: "report.json").path, replacesExisting: replacesExisting)
                .write("text")
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = read(watch, &bytes, bytes.count)
            var changes: [String: UInt32] = [:]
            var position = 0
            while position < count {
                let event = bytes.withUnsafeBytes {
                    $0.loadUnaligned(fromByteOffset: position, as: inotify_event.self)
                }
                let start = position + MemoryLayout<inotify_event>.size
                let name = String(decoding: bytes[start..<start + Int(event.len)].prefix { $0 != 0 }, as: UTF8.self)
                changes[name, default: 0] |= event.mask
                position = start + Int(event.len)
            }
            let change = try #require(changes["report.json"])
            #expect(change & UInt32(IN_MODIFY) == 0)
        }
    }

    @Test("Pieces become one file, and none if one of them fails")
    func pieces() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.appending(path: "page.html").path
            let file = try WholeFile(path: path, replacesExisting: true)
            #expect(throws: CancellationError.self) {
                try file.writePieces { append in
                    try append("one")
                    throw CancellationError()
                }
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
            try file.writePieces { append in for piece in ["one", "", ", ä"] { try append(piece) } }
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "one, ä")
        }
        #expect(
            reason { try WholeFile(path: "/dev/full", replacesExisting: true).writePieces { try $0("x") } } == .diskFull
        )
    }

    @Test("A reader of a pipe that holds less than a piece gets all of it")
    func piecesForAPipe() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.appending(path: "pipe").path
            #expect(mkfifo(path, 0o600) == 0)
            let reader = open(path, O_RDONLY | O_NONBLOCK)
            #expect(fcntl(reader, F_SETFL, 0) == 0)
            let pieces = (0..<3).map { String(repeating: "\($0)ä", count: 100_000) }
            let read: Task<Data?, any Error>
            do {
                // Before the first read, which would find the end of a pipe without a writer.
                let file = try WholeFile(path: path, replacesExisting: false)
                read = Task.detached { try FileHandle(fileDescriptor: reader, closeOnDealloc: true).readToEnd() }
                try file.writePieces { append in for piece in pieces { try append(piece) } }
            }
            #expect(try await read.value == Data(pieces.joined().utf8))
        }
    }

    @Test func saysWhyItCannotBeWritten() throws {
        #expect(reason { try WholeFile(path: "/dev/full", replacesExisting: true).write("text") } == .diskFull)
        #expect(reason { _ = try WholeFile(path: "/nosuch/x", replacesExisting: false) } == .cannotCreate)
        #expect(reason { _ = try WholeFile(path: "/tmp", replacesExisting: true) } == .cannotCreate)
        try WholeFile(path: "/dev/null", replacesExisting: false).write("text")
    }

    @Test func aPipeNeedsAReader() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.appending(path: "fifo").path
            #expect(mkfifo(path, 0o600) == 0)
            #expect(reason { _ = try WholeFile(path: path, replacesExisting: true) } == .cannotCreate)
            let reader = open(path, O_RDONLY | O_NONBLOCK)
            defer { close(reader) }
            let file = try WholeFile(path: path, replacesExisting: true)
            #expect(reason { try file.write(String(repeating: "x", count: 1 << 20)) } == .readerTooSlow)
            var status = stat()
            #expect(stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
        }
    }
}
