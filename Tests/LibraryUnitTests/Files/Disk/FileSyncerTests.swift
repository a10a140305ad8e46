import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import ACCAudioRecorder

@Suite struct FileSyncerTests {
    @Test func keepsTheSystemsError() throws {
        let syncer = FileSyncer()
        // No file has this descriptor.
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

    @Test func directoriesAreSynced() async throws {
        try await TemporaryDirectory.with { directory in
            let syncer = FileSyncer()
            let open = try OutputDirectory(directory.path)
            SystemCalls.beginRecording()
            syncer.sync([], in: open)
            syncer.settle()
            #expect(SystemCalls.endRecording() == [.syncDirectory])
            #expect(syncer.failure == nil)
            #expect(throws: Errno.noSuchFileOrDirectory) {
                try OutputDirectory(directory.appending(path: "nosuch").path)
            }
        }
    }
}
