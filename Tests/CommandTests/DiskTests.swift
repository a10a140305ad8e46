import Foundation
import TestSupport
import Testing

/// Recordings on a disk that fails or hangs, as simulated by `Tests/Preload/disk.c`; a real one would need device-mapper and
/// root.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct DiskTests {
    /// The fields of the state file, by position.
    private enum Field: Int {
        case failure, waits, syncs
    }

    /// A simulated disk: its state file and the library.
    private struct Disk {
        let state: URL

        init(in directory: URL) async throws {
            state = directory.appending(path: "disk")
            try await CHelper.compile("Preload/disk.c", to: state.appendingPathExtension("so"), CHelper.preloaded)
            try Data(count: 12).write(to: state)
        }

        var environment: [String: String] {
            ["LD_PRELOAD": state.appendingPathExtension("so").path, "DISK_STATE": state.path]
        }

        /// Written in place, because the file is memory-mapped.
        func set(_ field: Field, to value: Int32) throws {
            let file = try FileHandle(forUpdating: state)
            defer { try? file.close() }
            try file.seek(toOffset: UInt64(field.rawValue) * 4)
            try file.write(contentsOf: withUnsafeBytes(of: value) { Data($0) })
        }

        func value(of field: Field) throws -> Int32 {
            try Data(contentsOf: state).withUnsafeBytes {
                $0.loadUnaligned(fromByteOffset: field.rawValue * 4, as: Int32.self)
            }
        }
    }

    @Test(
        "F-10: a failing disk ends the recording at once, and the recording is kept",
        arguments: [
            (EIO, "Input/output error", 1), (EROFS, "Read-only file system", 1), (EDQUOT, "Disk quota exceeded", 6),
        ])
    func aFailingDiskEndsTheRecording(failure: Int32, cause: String, status: Int32) async throws {
        try await PrivateServer.withRoom(.pulseAudio) { server in
            let disk = try await Disk(in: server.directory)
            let recording = TestRecording(on: server)
            let result = try await server.record(recording, environment: disk.environment, status: status, within: 20) {
                try await recording.wait(for: 1, $0)
                try disk.set(.failure, to: failure)
            }
            let message = "accrec: cannot continue writing to '\(recording.url.path)': \(cause). "
            #expect(result.standardError.contains(message), "\(result.standardError)")
            #expect(result.standardError.contains("ENDED     \(recording.url.path) at 0:0"), "\(result.standardError)")
        }
    }

    @Test("A hanging disk blocks neither writing nor capturing, and is synced at most once a second")
    func aHangingDiskIsNotWaitedFor() async throws {
        try await PrivateServer.withRoom(.pulseAudio) { server in
            let disk = try await Disk(in: server.directory)
            let recording = TestRecording(on: server)
            let result = try await server.record(recording, environment: disk.environment, within: 20) { accrec in
                try disk.set(.waits, to: 1)
                try await eventually("the disk to hang") { try disk.value(of: .syncs) > 0 }
                try await recording.wait(forAnother: 3, accrec)
                // Still the first sync.
                #expect(try disk.value(of: .syncs) == 1)
                try disk.set(.waits, to: 0)
                try await recording.finish(accrec, after: 2)
            }
            let frames = try PCMFile(wav: recording.url).frames
            let syncs = Int(try disk.value(of: .syncs))
            // Including one at the end.
            #expect((2...frames / 48_000 + 1).contains(syncs), "\(syncs) in \(frames) frames")
            #expect(result.standardError.contains("lost      0 frames"))
        }
    }
}
