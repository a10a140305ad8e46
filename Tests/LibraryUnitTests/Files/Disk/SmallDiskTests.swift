import Foundation
import TestSupport
import Testing

@testable import ACCAudioRecorder

/// Outputs on a disk that gets full, or is removed.
// To fill a disk takes minutes without optimisation.
@Suite(
    .enabled(if: SmallDisk.isPossible, "\(SmallDisk.absence)"), .timeLimit(.minutes(1)),
    .tags(.skipsAddressSanitizer, .skipsThreadSanitizer))
struct SmallDiskTests {
    private static let form = StreamFormat(sampleRate: 48_000, channelMap: .standard(channelCount: 2))

    /// The reports of outputs, and the warnings while they were written.
    private struct Outcome {
        var reports: [OutputReport] = []
        var warnings: [RecordingWarning] = []
        var failures: [ACCAudioRecorderError.Failure] = []
    }

    /// Writes this many seconds of noise to all outputs, and completes them.
    ///
    /// - Parameters:
    ///   - limit: The length that is announced.
    ///   - change: Called after each second.
    private func write(
        _ noise: [Int16], to outputs: [RecordingOutput], limit: Double? = nil,
        change: (Int) async throws -> Void = { _ in }
    ) async throws -> Outcome {
        let broadcast = RecordingBroadcast()
        let events = broadcast.subscribe().events
        let writers = try outputs.map {
            try OutputWriter($0, for: .made("noise"), form: Self.form, broadcast: broadcast)
        }
        if let limit { for writer in writers { writer.warnOfRoom(upTo: limit) } }
        for second in 0..<noise.count / 96_000 {
            let samples = Signal.float(noise[second * 96_000..<(second + 1) * 96_000])
            withBlock(samples, channels: 2) { block in
                for writer in writers { writer.write(block) }
            }
            for writer in writers {
                // As the engine does when the next block is to come later.
                writer.endBatch()
                try await writer.waitUntilWritten()
            }
            try await change(second)
        }
        var outcome = Outcome()
        for writer in writers { outcome.reports += await writer.finish(serverProcessing: []).value }
        broadcast.finish()
        for await event in events {
            switch event {
            case .warning(let warning): outcome.warnings.append(warning)
            case .outputEnded(_, let error): outcome.failures += [error.failure].compactMap(\.self)
            default: Issue.record("\(event)")
            }
        }
        return outcome
    }

    private static func noise(seconds: Int) -> [Int16] {
        Signal.noise(seed: 1, samples: seconds * 96_000)
    }

    private static func samples(of path: URL) async throws -> [Int16] {
        switch path.pathExtension {
        case "wav": try PCMFile(wav: path).int16
        case "flac":
            // Decoding needs space beside the file, so copy it elsewhere.
            try await TemporaryDirectory.with { directory in
                let copy = directory.appending(path: "take.flac")
                try FileManager.default.copyItem(at: path, to: copy)
                return try await PCMFile(flac: copy).int16
            }
        default: Signal.int16(try Data(contentsOf: path))
        }
    }

    @Test(
        "F-10: the file ends when the disk is full, except for a reserve, and another output is complete",
        arguments: [300 << 10, 20 << 20], ["wav", "flac", "raw"])
    func theFileEndsWhereTheDiskDoes(size: Int, kind: String) async throws {
        try await SmallDisk.with(byteCount: size) { disk in
            try await TemporaryDirectory.with { directory in
                // More than the disk holds, because noise hardly compresses.
                let noise = Self.noise(seconds: size / 192_000 * 5 / 4 + 2)
                let (small, whole) = (
                    disk.directory.appending(path: "take." + kind), directory.appending(path: "b.raw")
                )
                let outcome = try await write(
                    noise, to: [RecordingOutput(path: small.path), RecordingOutput(path: whole.path)])
                #expect(outcome.failures.map(\.reason) == [.diskFull])
                let (report, other) = (outcome.reports[0], outcome.reports[1])
                #expect(report.failure?.failure == outcome.failures.first && other.failure == nil)
                #expect(try await Self.samples(of: whole) == noise)
                // Space is counted in pages, and an encoder may hold a block of 4096 frames.
                let unused = size - DiskRoom.reserve - report.byteCount
                #expect(((kind == "flac" ? -16_384 : 0)...8_192).contains(unused), "\(unused) bytes")
                let samples = try await Self.samples(of: small)
                #expect(samples.count == report.frameCount * 2)
                #expect(samples == Array(noise.prefix(samples.count)))
            }
        }
    }

    @Test("A disk that lasts for less than ten minutes is reported once, with the remaining time")
    func aSmallDiskIsToldInAdvance() async throws {
        try await SmallDisk.with(byteCount: 20 << 20) { disk in
            let output = try RecordingOutput(path: disk.directory.appending(path: "take.wav").path)
            let seconds = (20 << 20) / 192_000
            let outcome = try await write(Self.noise(seconds: 4), to: [output])
            guard case .diskFilling(let name, let told) = try #require(outcome.warnings.first) else {
                Issue.record("\(outcome.warnings)")
                return
            }
            #expect(outcome.warnings.count == 1 && name == output.destination.description)
            #expect((.seconds(seconds - 3)...(.seconds(seconds))).contains(told), "\(told) of \(seconds)")
        }
    }

    @Test("A limit that does not fit on the disk is reported at the start of the recording")
    func aLimitBeyondTheDiskIsTold() async throws {
        try await SmallDisk.with(byteCount: 20 << 20) { disk in
            let output = try RecordingOutput(path: disk.directory.appending(path: "take.wav").path)
            let enough = try await write(Self.noise(seconds: 1), to: [output], limit: 60)
            #expect(!enough.warnings.contains { if case .diskTooSmall = $0 { true } else { false } })
            // The size of a lossy file is not known in advance.
            let lossy = try RecordingOutput(path: disk.directory.appending(path: "take.ogg").path)
            let unknown = try await write(Self.noise(seconds: 1), to: [lossy], limit: 600)
            #expect(!unknown.warnings.contains { if case .diskTooSmall = $0 { true } else { false } })
            try FileManager.default.removeItem(at: disk.directory.appending(path: "take.ogg"))
            let next = try RecordingOutput(path: disk.directory.appending(path: "next.wav").path)
            let outcome = try await write(Self.noise(seconds: 4), to: [next], limit: 600)
            let seconds = ((20 << 20) - DiskRoom.reserve - 192_044) / 192_000
            #expect(
                outcome.warnings == [
                    .diskTooSmall(next.destination.description, room: .seconds(seconds), limit: .seconds(600))
                ])
        }
    }

    @Test("A disk without room for the end of a file is rejected before anything is created")
    func aFullDiskIsRefused() async throws {
        try await SmallDisk.with(byteCount: 300 << 10) { disk in
            try disk.fill(byteCount: 200 << 10)
            let path = disk.directory.appending(path: "take.wav")
            let error = #expect(throws: ACCAudioRecorderError.self) {
                try OutputWriter.check(RecordingOutput(path: path.path))
            }
            #expect(error?.failure?.reason == .diskFull)
            #expect(error?.failure?.cause == "its disk has only 102400 bytes left")
        }
    }

    @Test("Removing the disk or the file ends the output; moving the file does not")
    func aFileThatCannotBeFoundEndsItsOutput() async throws {
        try await TemporaryDirectory.with { directory in
            let (moved, removed) = (directory.appending(path: "a.wav"), directory.appending(path: "b.wav"))
            try await SmallDisk.with(byteCount: 20 << 20) { disk in
                let outputs = try [disk.directory.appending(path: "take.wav"), moved, removed]
                    .map { try RecordingOutput(path: $0.path) }
                let outcome = try await write(Self.noise(seconds: 4), to: outputs) { second in
                    guard second == 0 else { return }
                    disk.detach()
                    try FileManager.default.moveItem(at: moved, to: directory.appending(path: "c.wav"))
                    try FileManager.default.removeItem(at: removed)
                }
                #expect(
                    outcome.failures.map(\.cause) == [
                        "the file no longer exists", "the file no longer exists",
                    ])
                #expect(outcome.reports.map { $0.failure == nil } == [false, true, false])
                #expect(try PCMFile(wav: directory.appending(path: "c.wav")).int16 == Self.noise(seconds: 4))
            }
        }
    }
}
