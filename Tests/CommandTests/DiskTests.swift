import Foundation
import TestSupport
import Testing

/// Takes on a disk that fails or hangs, as simulated by `Tests/Preload/disk.c`; a real one would need device-mapper and
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

    private static func byteCount(of path: URL) -> Int {
        (try? FileManager.default.attributesOfItem(atPath: path.path)[.size] as? Int) ?? 0
    }

    /// Runs a body while a take is written to such a disk.
    private static func record(_ body: (ChildProcess, Disk, URL) async throws -> Void) async throws {
        try await PrivateServer.with(.pulseAudio) { server in
            try await server.loadNullSink("room")
            let disk = try await Disk(in: server.directory)
            let path = server.directory.appending(path: "take.wav")
            let arguments = ["record", "-o", path.path, "-d", "room.monitor", "-r", "48000", "-c", "2"]
            try await AccrecProcess.with(arguments, on: server, environment: disk.environment) { accrec in
                try await body(accrec, disk, path)
            }
        }
    }

    @Test(
        "F-10: a failing disk ends the take at once, and the take is kept",
        arguments: [
            (EIO, "Input/output error", 1), (EROFS, "Read-only file system", 1), (EDQUOT, "Disk quota exceeded", 6),
        ])
    func aFailingDiskEndsTheTake(failure: Int32, cause: String, status: Int32) async throws {
        try await Self.record { accrec, disk, path in
            try await eventually("a second") { Self.byteCount(of: path) > 192_000 }
            try disk.set(.failure, to: failure)
            let result = try await accrec.wait(within: 20)
            #expect(result.end == .exit(status), "\(result.standardError)")
            let message = "accrec: cannot continue writing to '\(path.path)': \(cause). "
            #expect(result.standardError.contains(message), "\(result.standardError)")
            #expect(result.standardError.contains("ENDED     \(path.path) at 0:0"), "\(result.standardError)")
        }
    }

    @Test("A hanging disk blocks neither writing nor capturing, and is synced at most once a second")
    func aHangingDiskIsNotWaitedFor() async throws {
        try await Self.record { accrec, disk, path in
            try disk.set(.waits, to: 1)
            try await eventually("the disk to hang") { try disk.value(of: .syncs) > 0 }
            let before = Self.byteCount(of: path)
            try await eventually("three more seconds") { Self.byteCount(of: path) > before + 3 * 192_000 }
            // Still the first sync.
            #expect(try disk.value(of: .syncs) == 1)
            try disk.set(.waits, to: 0)
            let released = Self.byteCount(of: path)
            try await eventually("two more seconds") { Self.byteCount(of: path) > released + 2 * 192_000 }
            accrec.signal(SIGINT)
            let result = try await accrec.wait(within: 20)
            #expect(result.end == .exit(0), "\(result.standardError)")
            let take = try PCMFile(wav: path)
            let syncs = Int(try disk.value(of: .syncs))
            // Including one at the end.
            #expect((2...take.frames / 48_000 + 1).contains(syncs), "\(syncs) in \(take.frames) frames")
            #expect(result.standardError.contains("lost      0 frames"))
        }
    }
}
