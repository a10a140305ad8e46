import Foundation
import TestSupport
import Testing

/// The memory allocations of a recording, as counted by `Tests/Preload/allocations.c`.
@Suite(.timeLimit(.minutes(2)))
struct AllocationTests {
    /// libpulse allocates at most this often per second to query the latency: twice every 1.5 s.
    private static let latencyAllocationsPerSecond = 2.0

    @Test(
        "During a recording, neither the capture thread nor the engine thread allocates memory for a buffer")
    func aTakeThatGoesOnAllocatesNothingForItsSamples() async throws {
        // Not silence, because what is found in a signal is kept.
        try await PrivateServer.withRoom(.pulseAudio, playing: .tone(440, peak: -12)) { server in
            let counts = try await AllocationCounts(in: server.directory)
            // In memory: while an output waits for a disk, the engine allocates what is to be written later.
            let path = URL(filePath: "/dev/shm/accrec-\(UUID().uuidString).wav")
            defer { try? FileManager.default.removeItem(at: path) }
            let options = ["-o", path.path, "-q", "-r", "48000", "-c", "2"]
            try await server.record(options, environment: counts.environment) { accrec in
                try await eventually("a second") { Self.byteCount(of: path) > 48_000 * 4 }
                let (before, first) = (try counts.byThread(of: accrec), Self.byteCount(of: path))
                try await eventually("two more seconds") { Self.byteCount(of: path) > 3 * 48_000 * 4 }
                let (after, last) = (try counts.byThread(of: accrec), Self.byteCount(of: path))
                let since = after.merging(before) { $0 - $1 }
                print("Allocations in \((last - first) / 192) ms of a recording, by thread: \(since)")
                // The counter works.
                #expect(before.values.reduce(0, +) > 100)
                // More may have been captured than is written.
                let seconds = Double(last - first) / (48_000 * 4) + 0.5
                #expect(
                    try #require(since["capture"]) <= Int((seconds * Self.latencyAllocationsPerSecond).rounded(.up)))
                #expect(since["engine"] == 0)
                accrec.signal(SIGINT)
            }
        }
    }

    @Test("The number of allocations held does not grow during a recording, however often files are synced")
    func aTakeThatGoesOnHoldsNoMoreMemory() async throws {
        try await PrivateServer.withRoom(.pulseAudio) { server in
            let counts = try await AllocationCounts(in: server.directory)
            let outputs = (1...8).flatMap { ["-o", "\($0).wav"] }
            let options = ["-q", "-r", "48000", "-c", "2", "--sync", "0.01"]
            try await server.record(outputs + options, environment: counts.environment) { accrec in
                let recording = TestRecording(on: server, "1.wav")
                try await recording.wait(for: 2, accrec)
                let before = try counts.held()
                try await recording.wait(for: 6, accrec)
                let after = try counts.held()
                print("Pieces of memory held: \(before), four seconds later: \(after)")
                #expect(before > 100)
                // Each output may have a few transient allocations at either moment.
                #expect(after < before + 3 * 8)
                accrec.signal(SIGINT)
            }
        }
    }

    private static func byteCount(of path: URL) -> Int {
        (try? FileManager.default.attributesOfItem(atPath: path.path)[.size] as? Int) ?? 0
    }

    /// The allocation counters of a program, with the library that maintains them.
    private struct AllocationCounts {
        private let file: URL
        private static let capacity = 256

        init(in directory: URL) async throws {
            file = directory.appending(path: "allocations")
            let library = file.appendingPathExtension("so")
            try await CHelper.compile("Preload/allocations.c", to: library, CHelper.preloaded)
            try Data(count: Self.capacity * 16).write(to: file)
        }

        var environment: [String: String] {
            ["LD_PRELOAD": file.appendingPathExtension("so").path, "ALLOCATIONS": file.path]
        }

        /// The number of allocations that the program holds now.
        func held() throws -> Int {
            try Data(contentsOf: file).withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 8, as: Int.self) }
        }

        /// The number of allocations so far, by thread name.
        func byThread(of process: ChildProcess) throws -> [String: Int] {
            let numbers = try Data(contentsOf: file).withUnsafeBytes { bytes in
                (0..<Self.capacity).map { thread in
                    (0...1).map { bytes.loadUnaligned(fromByteOffset: thread * 16 + $0 * 8, as: Int.self) }
                }
            }
            var counts: [String: Int] = [:]
            for thread in try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process.processID)/task") {
                // A thread that has ended in the meantime has no name.
                let comm = "/proc/\(process.processID)/task/\(thread)/comm"
                guard let name = try? String(contentsOfFile: comm, encoding: .utf8) else { continue }
                let count = numbers.first { $0[0] == Int(thread) }?[1] ?? 0
                counts[name.trimmingCharacters(in: .newlines), default: 0] += count
            }
            return counts
        }
    }
}
