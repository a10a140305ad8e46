import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import ACCAudioRecorder

/// File systems that do not hold each file, or take each name.
@Suite struct HostFileSystemTests {
    private static let (fat, exFAT, fuse, ext4) = (0x4d44, 0x2011_bab0, 0x6573_5546, 0xef53)

    @Test("FAT holds no file of 4 GiB; others do")
    func sizes() {
        #expect(HostFileSystem(directory: "/media", kind: Self.fat).largestFile == (4 << 30) - 1)
        for kind in [Self.exFAT, Self.ext4] {
            #expect(HostFileSystem(directory: "/media", kind: kind).largestFile == nil)
        }
    }

    @Test("FAT and exFAT get a hyphen for what they refuse in the last part of a path")
    func names() {
        let path = #"/media/a:b/12:30:00 "x" <1>|2?*\.wav"#
        for kind in [Self.fat, Self.exFAT] {
            let fitting = HostFileSystem(directory: "/media", kind: kind).fitting(path)
            #expect(fitting == "/media/a:b/12-30-00 -x- -1--2---.wav")
        }
        #expect(HostFileSystem(directory: "/media", kind: Self.ext4).fitting(path) == path)
        #expect(HostFileSystem(directory: ".", kind: Self.fat).fitting("12:30.wav") == "12-30.wav")
    }

    @Test("A name that the file system refuses is told, with one that it takes")
    func refusedNames() {
        let system = HostFileSystem(directory: "/media", kind: Self.exFAT)
        let failure = AtomicFile.failure(creating: "/media/12:30.wav", .invalidArgument, on: system).failure
        #expect(failure?.cause.contains(":*?") == true)
        #expect(failure?.remedy == "Use another name, such as '/media/12-30.wav'.")
        #expect(AtomicFile.failure(creating: "/media/a.wav", .ioError, on: system).failure?.cause == "\(Errno.ioError)")
    }

    @Test("Behind FUSE, only characters that are refused become hyphens")
    func namesBehindFUSE() async throws {
        try await TemporaryDirectory.with { directory in
            let system = HostFileSystem(directory: directory.path, kind: Self.fuse)
            let path = directory.appending(path: "12:30.wav").path
            #expect(system.fitting(path) == path)
            let left = try FileManager.default.contentsOfDirectory(atPath: directory.path)
            #expect(left.isEmpty)
            var asked: [String] = []
            let fitting = system.fitting(path) { name in
                asked.append(name)
                return !name.contains(":")
            }
            #expect(fitting == directory.appending(path: "12-30.wav").path && asked.count == 2)
            // Whoever may not write there learns that when the file is created.
            #expect(system.fitting(path) { _ in false } == path)
            asked = []
            let plain = system.fitting("plain.wav") { name in
                asked.append(name)
                return true
            }
            // A name without such characters needs no file to be created.
            #expect(plain == "plain.wav" && asked.isEmpty)
        }
    }

    @Test("The file system of a directory that is not there yet is that of the nearest one above it")
    func missingDirectories() async throws {
        try await TemporaryDirectory.with { directory in
            let here = try #require(HostFileSystem(of: directory.path))
            let below = try #require(HostFileSystem(of: directory.appending(path: "a/b").path))
            #expect(here == below && here.directory == directory.path)
        }
        #expect(HostFileSystem(of: "no/such/directory")?.directory == ".")
        #expect(HostFileSystem(of: "/no-such-directory")?.directory == "/")
    }
}
