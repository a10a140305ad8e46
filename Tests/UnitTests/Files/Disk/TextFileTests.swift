import Foundation
import TestSupport
import Testing

@testable import ACCAudioRecorder

@Suite struct TextFileTests {
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
            let file = try TextFile(path: path, replacesExisting: false)
            #expect(!FileManager.default.fileExists(atPath: path))
            try file.write("text")
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "text")
            // Somebody else has created it in the meantime.
            #expect(reason { try file.write("another") } == .fileExists)
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "text")
        }
    }

    @Test func saysWhyItCannotBeWritten() throws {
        #expect(reason { try TextFile(path: "/dev/full", replacesExisting: true).write("text") } == .diskFull)
        #expect(reason { _ = try TextFile(path: "/nosuch/x", replacesExisting: false) } == .cannotCreate)
        #expect(reason { _ = try TextFile(path: "/tmp", replacesExisting: true) } == .cannotCreate)
        try TextFile(path: "/dev/null", replacesExisting: false).write("text")
    }

    @Test func aPipeNeedsAReader() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.appending(path: "fifo").path
            #expect(mkfifo(path, 0o600) == 0)
            #expect(reason { _ = try TextFile(path: path, replacesExisting: true) } == .cannotCreate)
            let reader = open(path, O_RDONLY | O_NONBLOCK)
            defer { close(reader) }
            let file = try TextFile(path: path, replacesExisting: true)
            #expect(reason { try file.write(String(repeating: "x", count: 1 << 20)) } == .readerTooSlow)
            var status = stat()
            #expect(stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
        }
    }
}
