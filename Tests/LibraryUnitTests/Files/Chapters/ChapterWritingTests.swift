import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import ACCAudioRecorder

/// The copy with chapters takes the place of a file only if nothing is lost by that.
@Suite struct ChapterWritingTests {
    /// A copy of a FLAC recording that is just complete.
    private func withFile(
        hidden isHidden: Bool = false, _ body: (inout AtomicFile, _ path: String, _ content: Data) throws -> Void
    ) async throws {
        try await TemporaryDirectory.with { directory in
            try await TemporaryDirectory.with { other in
                let original = other.appending(path: "original.flac")
                _ = try await ChapterFixture.record(to: original)
                let content = try Data(contentsOf: original)
                let path = directory.appending(path: "take.flac").path
                var file = try AtomicFile(path: path, replacesExisting: isHidden)
                try file.descriptor.writeAll(content)
                try body(&file, path, content)
                file.remove()
                #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == [])
            }
        }
    }

    private let chapters = [Chapter(start: 10, title: "m")]

    @Test("The copy has the mode of the file, is locked, and is removed in its place", arguments: [false, true])
    func takesItsPlace(isHidden: Bool) async throws {
        try await withFile(hidden: isHidden) { file, _, content in
            fchmod(file.descriptor.rawValue, 0o600)
            let added = file.add(chapters, until: 1_000) { false }
            #expect(added)
            let place = file.currentPath
            let path = try #require(place)
            #expect(SoundFileReader.chapters(ofFileAt: path) == chapters)
            let audio = content.suffix(content.count / 2)
            #expect(FileManager.default.contents(atPath: path)?.suffix(audio.count) == audio)
            #expect(FileLock.state(of: path) == .held)
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
    }

    @Test("It is on the disk before it takes the place")
    func syncsFirst() async throws {
        try await withFile { file, _, _ in
            SystemCalls.beginRecording()
            let added = file.add(chapters, until: 1_000) { false }
            #expect(SystemCalls.endRecording() == [.syncFile, .name] && added)
        }
    }

    @Test("An output that has to go on gives up")
    func givesUp() async throws {
        try await withFile { file, path, content in
            let added = file.add(chapters, until: 1_000) { true }
            #expect(!added)
            #expect(FileManager.default.contents(atPath: path) == content)
        }
    }

    @Test("A file that another program changes meanwhile is left alone, also one with a further name")
    func changedFiles() async throws {
        try await withFile { file, path, content in
            let added = file.add(chapters, until: 1_000) {
                let other = FileHandle(forUpdatingAtPath: path)
                _ = try? other?.seekToEnd()
                other?.write(Data([1]))
                return false
            }
            #expect(!added)
            #expect(FileManager.default.contents(atPath: path) == content + [1])

            let link = path + ".link"
            try FileManager.default.linkItem(atPath: path, toPath: link)
            let addedToLinked = file.add(chapters, until: 1_000) { false }
            #expect(!addedToLinked && FileVersion(path: link) == FileVersion(path: path))
            try FileManager.default.removeItem(atPath: link)
        }
    }

    @Test("Another file of the name is not replaced, and the renamed one is left alone")
    func renamedFiles() async throws {
        try await withFile { file, path, content in
            try FileManager.default.moveItem(atPath: path, toPath: path + ".moved")
            try Data("other".utf8).write(to: URL(filePath: path))
            let added = file.add(chapters, until: 1_000) { false }
            #expect(!added)
            #expect(FileManager.default.contents(atPath: path) == Data("other".utf8))
            #expect(FileManager.default.contents(atPath: path + ".moved") == content)
            for end in ["", ".moved"] { try FileManager.default.removeItem(atPath: path + end) }
        }
    }

    @Test("An output counts as waiting until it has completed its file")
    func waitsForCompletion() {
        let queue = OutputQueue(EncodedFrames.Form(.s16, channelCount: 1), capacity: 100)
        #expect(!queue.isWaiting)
        queue.append { _ in }
        var orders: [OutputQueue.Order] = []
        #expect(queue.next(&orders) && queue.isWaiting)
        queue.close()
        #expect(!queue.next(&orders) && !queue.isWaiting)
    }
}
