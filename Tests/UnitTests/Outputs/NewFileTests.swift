import Foundation
import Testing

@testable import ACCAudioRecorder

@Suite struct NewFileTests {
    private func withDirectory(_ body: (String) throws -> Void) throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "accrec-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: directory) }
        try body(directory.path)
    }

    private func contents(_ path: String) -> String? {
        FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func keepsAndRemoves() throws {
        try withDirectory { directory in
            let kept = try NewFile(path: directory + "/kept", replacesExisting: false)
            try kept.descriptor.writeAll("abc".utf8)
            #expect(try kept.keep() == 3)
            #expect(contents(directory + "/kept") == "abc")

            let removed = try NewFile(path: directory + "/removed", replacesExisting: false)
            removed.remove()
            #expect(contents(directory + "/removed") == nil)
        }
    }

    @Test("B-05: an existing file is never overwritten unless told to")
    func refusesAnExistingFile() throws {
        try withDirectory { directory in
            let path = directory + "/take"
            try Data("old".utf8).write(to: URL(filePath: path))
            #expect(throws: ACCAudioRecorderError.self) { _ = try NewFile(path: path, replacesExisting: false) }
            #expect(contents(path) == "old")
        }
    }

    @Test func replacesOnlyWhenWhole() throws {
        try withDirectory { directory in
            let path = directory + "/take"
            try Data("old".utf8).write(to: URL(filePath: path))
            let abandoned = try NewFile(path: path, replacesExisting: true)
            try abandoned.descriptor.writeAll("new".utf8)
            #expect(contents(path) == "old")
            abandoned.remove()
            #expect(contents(path) == "old")

            let whole = try NewFile(path: path, replacesExisting: true)
            try whole.descriptor.writeAll("new".utf8)
            _ = try whole.keep()
            #expect(contents(path) == "new")
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["take"])
        }
    }
}
