import Foundation
import SystemPackage
import Testing

@testable import ACCAudioRecorder

@Suite struct AtomicFileTests {
    private func withDirectory(_ body: (String) throws -> Void) throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "accrec-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: directory) }
        try body(directory.path)
    }

    private func contents(_ path: String) -> String? {
        // `FileManager.contents` leaks memory if the file is empty.
        FileHandle(forReadingAtPath: path).map { String(decoding: $0.readDataToEndOfFile(), as: UTF8.self) }
    }

    @Test func keepsAndRemoves() throws {
        try withDirectory { directory in
            let kept = try AtomicFile(path: directory + "/kept", replacesExisting: false)
            try kept.descriptor.writeAll("abc".utf8)
            let completed = try kept.keep()
            #expect(completed.byteCount == 3 && completed.file.path == directory + "/kept")
            #expect(contents(directory + "/kept") == "abc")

            let removed = try AtomicFile(path: directory + "/removed", replacesExisting: false)
            removed.remove()
            #expect(contents(directory + "/removed") == nil)
        }
    }

    @Test("B-05: an existing file is never overwritten unless requested")
    func refusesAnExistingFile() throws {
        try withDirectory { directory in
            let path = directory + "/take"
            try Data("old".utf8).write(to: URL(filePath: path))
            #expect(throws: ACCAudioRecorderError.self) { _ = try AtomicFile(path: path, replacesExisting: false) }
            #expect(contents(path) == "old")
        }
    }

    @Test("A hidden file does not replace one that was created meanwhile")
    func aHiddenFileReplacesNone() throws {
        try withDirectory { directory in
            let path = directory + "/report"
            let hidden = try AtomicFile(path: path, replacesExisting: false, isHidden: true)
            try hidden.descriptor.writeAll("own".utf8)
            #expect(contents(path) == nil)
            try Data("other".utf8).write(to: URL(filePath: path))
            let completed = try hidden.keep()
            #expect(completed.isBesideOlder && contents(completed.file.path) == "own")
            #expect(contents(path) == "other")
        }
    }

    @Test func replacesOnlyWhenComplete() throws {
        try withDirectory { directory in
            let path = directory + "/take"
            try Data("old".utf8).write(to: URL(filePath: path))
            let abandoned = try AtomicFile(path: path, replacesExisting: true)
            try abandoned.descriptor.writeAll("new".utf8)
            #expect(contents(path) == "old")
            abandoned.remove()
            #expect(contents(path) == "old")

            let whole = try AtomicFile(path: path, replacesExisting: true)
            try whole.descriptor.writeAll("new".utf8)
            _ = try whole.keep()
            #expect(contents(path) == "new")
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["take"])
        }
    }

    @Test("An incomplete file replaces nothing, and gets the first free name beside it")
    func whatIsNotWholeReplacesNothing() throws {
        try withDirectory { directory in
            let path = directory + "/take.wav"
            for (number, name) in ["take.wav", "take-partial.wav", "take-partial-002.wav"].enumerated() {
                let file = try AtomicFile(path: path, replacesExisting: true)
                try file.descriptor.writeAll("\(number)".utf8)
                let completed = try file.keep(isWhole: false)
                #expect(completed.file.path == directory + "/" + name)
                #expect(completed.isBesideOlder == (number > 0) && contents(directory + "/" + name) == "\(number)")
            }
            #expect(contents(path) == "0")
        }
    }

    @Test(
        "Where there are no hard links, or none are permitted, neither an incomplete file nor a hidden one replaces another",
        arguments: [EPERM, EACCES])
    func replacesNothingWithoutLinks(failure: Int32) throws {
        try withDirectory { directory in
            let path = directory + "/take.wav"
            SystemCalls.linkFailure.store(failure, ordering: .relaxed)
            defer { SystemCalls.linkFailure.store(0, ordering: .relaxed) }
            _ = try AtomicFile(path: path, replacesExisting: false, isHidden: true).keep()
            try Data("old".utf8).write(to: URL(filePath: path))
            for (number, replaces) in [true, false].enumerated() {
                let file = try AtomicFile(path: path, replacesExisting: replaces, isHidden: true)
                try file.descriptor.writeAll("new".utf8)
                let completed = try file.keep(isWhole: !replaces)
                #expect(completed.isBesideOlder && contents(completed.file.path) == "new")
                #expect(contents(path) == "old")
                #expect(try FileManager.default.contentsOfDirectory(atPath: directory).count == 2 + number)
            }
        }
    }

    @Test(
        "A file that cannot be replaced is known from the beginning; if it becomes so later, the new one is beside it")
    func immutable() throws {
        try withDirectory { directory in
            let path = directory + "/take.wav"
            try Data("old".utf8).write(to: URL(filePath: path))
            let file = try AtomicFile(path: path, replacesExisting: true)
            try file.descriptor.writeAll("new".utf8)
            SystemCalls.areImmutable.store(true, ordering: .relaxed)
            defer { SystemCalls.areImmutable.store(false, ordering: .relaxed) }
            let completed = try file.keep()
            #expect(completed.isBesideOlder && completed.obstacle == .notPermitted)
            #expect(completed.file.path == directory + "/take-partial.wav" && contents(completed.file.path) == "new")
            #expect(contents(path) == "old")
            let failure = #expect(throws: ACCAudioRecorderError.self) {
                _ = try AtomicFile(path: path, replacesExisting: true)
            }
            #expect(failure?.description.contains("cannot create '\(path)': Operation not permitted") == true)
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory).count == 2)
        }
    }

    @Test(
        "A directory that cannot be synced does not matter where its file system has no such sync",
        arguments: [EINVAL, ENOTSUP, EACCES, EBADF, EIO])
    func unsyncedDirectory(failure: Int32) throws {
        try withDirectory { directory in
            let path = directory + "/take.wav"
            let file = try AtomicFile(path: path, replacesExisting: false, isHidden: true, isSynced: true)
            SystemCalls.directoryFailure.store(failure, ordering: .relaxed)
            defer { SystemCalls.directoryFailure.store(0, ordering: .relaxed) }
            guard failure == EIO else { return #expect(try file.keep().file.path == path) }
            do throws(ACCAudioRecorderError) {
                _ = try file.keep()
                Issue.record("An error of the disk is ignored")
            } catch {
                #expect(error.description.contains("'\(path)'") && !error.description.contains(".part"), "\(error)")
            }
        }
    }

    @Test(
        "A synced file is on the disk before it gets its name, and so is the name afterwards",
        arguments: [(replacesExisting: false, isHidden: false), (false, true), (true, true)])
    func syncsInOrder(replacesExisting: Bool, isHidden: Bool) throws {
        try withDirectory { directory in
            let path = directory + "/take.wav"
            for isSynced in [true, false] {
                let file = try AtomicFile(
                    path: isSynced ? path : path + ".other", replacesExisting: replacesExisting, isHidden: isHidden,
                    isSynced: isSynced)
                try file.descriptor.writeAll("new".utf8)
                SystemCalls.beginRecording()
                _ = try file.keep()
                let calls = SystemCalls.endRecording()
                let naming: [SystemCalls.Call] = isHidden ? [.name] : []
                #expect(calls == (isSynced ? [.syncFile] + naming + [.syncDirectory] : naming))
            }
        }
    }

    @Test("The new file has the mode of the old one and is at the target of its link")
    func keepsModeAndLink() throws {
        try withDirectory { directory in
            let (path, link) = (directory + "/old", directory + "/link")
            try Data("old".utf8).write(to: URL(filePath: path))
            #expect(chmod(path, 0o604) == 0)
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "old")
            let file = try AtomicFile(path: link, replacesExisting: true)
            try file.descriptor.writeAll("new".utf8)
            #expect(try file.keep().file.path == link)
            var status = stat()
            #expect(lstat(link, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
            #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o604)
            #expect(contents(path) == "new")
        }
    }

    @Test("A name of 255 bytes can be replaced, and distinguished from others of that length")
    func replacesALongName() throws {
        try withDirectory { directory in
            let names = ["é", "x"].map {
                String(repeating: "a", count: 249) + $0 + String(repeating: "b", count: 6 - $0.utf8.count)
            }
            for name in names + [String(repeating: "é", count: 125) + ".flac"] {
                #expect(name.utf8.count == 255)
                let path = "\(directory)/\(name)"
                try Data("old".utf8).write(to: URL(filePath: path))
                let file = try AtomicFile(path: path, replacesExisting: true)
                try file.descriptor.writeAll("new".utf8)
                #expect(try file.keep(isWhole: false).isBesideOlder)
                _ = try AtomicFile(path: path, replacesExisting: true).keep()
                #expect(contents(path) == "")
            }
        }
    }

    @Test("Files in a directory that is renamed are kept, and reported with their new path")
    func followsItsDirectory() throws {
        try withDirectory { directory in
            let (old, new) = (directory + "/old", directory + "/new")
            try FileManager.default.createDirectory(atPath: old, withIntermediateDirectories: false)
            let placed = try AtomicFile(path: old + "/placed", replacesExisting: false)
            let replacing = try AtomicFile(path: old + "/replacing", replacesExisting: true, isSynced: true)
            try FileManager.default.moveItem(atPath: old, toPath: new)
            #expect(try placed.keep().file.path == new + "/placed")
            #expect(try replacing.keep().file.path == new + "/replacing")
            #expect(try FileManager.default.contentsOfDirectory(atPath: new).sorted() == ["placed", "replacing"])
        }
    }

    @Test("Only the created file is removed, not another one that has its path by then")
    func removesNothingElse() throws {
        try withDirectory { directory in
            let path = directory + "/take"
            let removed = try AtomicFile(path: path, replacesExisting: false)
            try FileManager.default.removeItem(atPath: path)
            try Data("mine".utf8).write(to: URL(filePath: path))
            removed.remove()
            #expect(contents(path) == "mine")
            let kept = try AtomicFile(path: directory + "/kept", replacesExisting: false).keep().file
            try FileManager.default.removeItem(atPath: kept.path)
            #expect(try !kept.remove())
            try Data("mine".utf8).write(to: URL(filePath: kept.path))
            #expect(throws: Errno.fileExists) { _ = try kept.remove() }
            #expect(contents(kept.path) == "mine")
        }
    }

    @Test(
        "The hidden name that a killed recording has left, whatever its process, does not stand in the way, and is told"
    )
    func passesOverALeftName() throws {
        try withDirectory { directory in
            let path = directory + "/take.wav"
            let left = "\(directory)/\(AtomicFile.partName(for: "take.wav"))"
            try Data("killed".utf8).write(to: URL(filePath: left))
            let file = try AtomicFile(path: path, replacesExisting: true)
            #expect(AtomicFile.leftBehind(for: path) == [left])
            let written = AtomicFile.writingPath(for: path, replacesExisting: true)
            #expect(written != left && AtomicFile.path(ofPart: written) == path)
            #expect(FileLock.state(of: written) == .held && FileLock.state(of: left) == .free)
            #expect(try file.keep().file.path == path)
            #expect(contents(left) == "killed" && contents(path) == "")
        }
    }

    @Test("A complete file is not held by a copy of its descriptor, as a program has that is being started")
    func completeFilesAreFree() throws {
        try withDirectory { directory in
            let path = directory + "/take.wav"
            let file = try AtomicFile(path: path, replacesExisting: false)
            let copy = dup(file.descriptor.rawValue)
            defer { close(copy) }
            #expect(FileLock.state(of: path) == .held)
            _ = try file.keep()
            #expect(FileLock.state(of: path) == .free)
        }
    }

    @Test("What a recording is writing is replaced by no other, neither when that begins nor when it ends")
    func whatIsBeingWrittenStays() throws {
        try withDirectory { directory in
            let path = directory + "/take.wav"
            let other = try AtomicFile(path: path, replacesExisting: false)
            let own = try AtomicFile(path: path, replacesExisting: true)
            let refusal = #expect(throws: ACCAudioRecorderError.self) {
                _ = try OutputPlace(path: path, replacesExisting: true)
            }
            #expect(refusal?.failure?.reason == .fileExists)
            try own.descriptor.writeAll("own".utf8)
            let completed = try own.keep()
            #expect(completed.isBesideOlder && contents(completed.file.path) == "own")
            try other.descriptor.writeAll("other".utf8)
            #expect(try other.keep().file.path == path)
            #expect(contents(path) == "other")
            _ = try OutputPlace(path: path, replacesExisting: true)
        }
    }

    @Test("A program that asks for its own files replaces no others, and none that was changed")
    func replacesItsOwnOnly() throws {
        try withDirectory { directory in
            let path = directory + "/take.wav"
            let first = try AtomicFile(path: path, replacesExisting: false).keep().file
            let own: Set = [try #require(first.version)]
            _ = try OutputPlace(path: path, replacesExisting: true, replaceable: own)
            let second = try AtomicFile(path: path, replacesExisting: true, replaceable: own)
            try Data("changed".utf8).write(to: URL(filePath: path))
            #expect(try second.keep().isBesideOlder && contents(path) == "changed")
            #expect(throws: ACCAudioRecorderError.self) {
                _ = try OutputPlace(path: path, replacesExisting: true, replaceable: own)
            }
        }
    }
}
