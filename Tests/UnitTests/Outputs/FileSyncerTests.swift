import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import ACCAudioRecorder

@Suite struct FileSyncerTests {
    @Test func keepsWhatTheSystemSaid() throws {
        let syncer = FileSyncer()
        // No file has that number.
        syncer.sync([FileDescriptor(rawValue: 1_000_000)])
        syncer.settle()
        #expect(syncer.failure == .badFileDescriptor)
    }

    @Test func aPipeIsNoFailure() throws {
        let syncer = FileSyncer()
        let pipe = Pipe()
        syncer.sync([FileDescriptor(rawValue: pipe.fileHandleForWriting.fileDescriptor)])
        syncer.settle()
        #expect(syncer.failure == nil)
    }

    @Test func aDirectoryIsBroughtToTheDiskAsWell() async throws {
        try await TemporaryDirectory.with { directory in
            let syncer = FileSyncer()
            syncer.sync([], directoryOf: directory.appending(path: "file").path)
            syncer.settle()
            #expect(syncer.failure == nil)
            syncer.sync([], directoryOf: directory.appending(path: "nosuch/file").path)
            syncer.settle()
            #expect(syncer.failure == .noSuchFileOrDirectory)
        }
    }
}
