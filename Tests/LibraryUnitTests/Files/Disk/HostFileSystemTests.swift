import Foundation
import TestSupport
import Testing

@testable import ACCAudioRecorder

/// File systems that do not hold each file, or take each name.
@Suite struct HostFileSystemTests {
    private static let (fat, exFAT, ext4) = (0x4d44, 0x2011_bab0, 0xef53)

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
