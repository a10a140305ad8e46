import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import ACCAudioRecorder

/// Chunk-based files whose recorder did not finish.
@Suite struct ChunkRepairTests {
    private static let frames = 1001
    private static let samples: [UInt8] = (0..<frames * 4).map { UInt8(truncatingIfNeeded: $0 * 7 + 1) }
    private static let list = Array("LIST".utf8) + little(6) + Array("INFOab".utf8)

    private static func little(_ number: Int, _ count: Int = 4) -> [UInt8] {
        ByteOrder.little.bytes(UInt64(number), count: count)
    }

    /// A 16-bit stereo WAV file, with correct sizes unless others are given.
    private static func wav(
        _ samples: [UInt8] = samples, riff: Int? = nil, data: Int? = nil, before: [UInt8] = [], after: [UInt8] = []
    ) -> [UInt8] {
        let format = little(1, 2) + little(2, 2) + little(48_000) + little(192_000) + little(4, 2) + little(16, 2)
        let padding = [UInt8](repeating: 0, count: samples.count % 2)
        let rest =
            Array("WAVE".utf8) + before + Array("fmt ".utf8) + little(16) + format + Array("data".utf8)
            + little(data ?? samples.count) + samples + padding + after
        return Array("RIFF".utf8) + little(riff ?? rest.count) + rest
    }

    /// Repairs a file with these bytes, in place and to another file, and returns the result and the faults.
    private func repairing(_ bytes: [UInt8]) async throws -> (repaired: [UInt8], faults: [AudioFileFault], frames: Int?)
    {
        try await TemporaryDirectory.with { directory in
            let (file, other) = (directory.appending(path: "a.wav"), directory.appending(path: "b.wav"))
            try Data(bytes).write(to: file)
            let repair = try AudioFileRepair(path: file.path)
            #expect(repair.sampleRate == 48_000)
            try repair.write(to: other.path)
            #expect(try Data(contentsOf: file) == Data(bytes))
            let repaired = try Data(contentsOf: other)
            try repair.repairInPlace()
            #expect(try Data(contentsOf: file) == repaired)
            #expect(try AudioFileRepair(path: other.path).isWhole)
            return (Array(repaired), repair.faults, repair.frameCount)
        }
    }

    @Test(
        "Sizes that were never written, are outdated, or exceed the file",
        arguments: [0, 0xFFFF_FFFF, 0x7FFF_FFFF, 0x7FFF_F000, 400, samples.count + 2, samples.count + 100])
    func staleSizes(size: Int) async throws {
        for riff in [0, 0xFFFF_FFFF, size &+ 36, nil] {
            let (repaired, faults, frames) = try await repairing(Self.wav(riff: riff, data: size))
            #expect(repaired == Self.wav())
            #expect(faults == [.wrongSizes] && frames == Self.frames)
        }
    }

    @Test("A truncated frame is dropped", arguments: 1...3)
    func aCutFrame(byteCount: Int) async throws {
        let cut = Self.wav(data: 0xFFFF_FFFF).dropLast(4 - byteCount)
        let (repaired, faults, frames) = try await repairing(Array(cut))
        #expect(repaired == Self.wav(Self.samples.dropLast(4)))
        #expect(faults == [.cutOff(byteCount: byteCount), .wrongSizes] && frames == Self.frames - 1)
    }

    @Test("An intact file is left alone", arguments: [[], list, list + list])
    func wholeFiles(after: [UInt8]) async throws {
        let file = Self.wav(after: after)
        let (repaired, faults, _) = try await repairing(file)
        #expect(repaired == file && faults.isEmpty)
    }

    private static let tag = Array("TAGSong".utf8) + [UInt8](repeating: 0, count: 121)

    @Test(
        "Data after the samples that is not audio is kept",
        arguments: [
            tag, [UInt8](repeating: 0, count: 4_096), [0], list + tag, list + [UInt8](repeating: 0, count: 300),
            Array("APETAGEX".utf8) + [UInt8](repeating: 7, count: 90) + tag,
            [UInt8](repeating: 0, count: 300) + tag,
        ])
    func trailers(trailer: [UInt8]) async throws {
        let ofFormat = trailer.starts(with: Self.list) ? Self.list : []
        let rest = trailer.dropFirst(ofFormat.count)
        let whole = Self.wav(after: ofFormat) + rest
        let (repaired, faults, frames) = try await repairing(whole)
        #expect(repaired == whole && faults.isEmpty && frames == Self.frames)
        // It is not counted when the size of the whole is repaired.
        let stale = try await repairing(Self.wav(riff: 0, after: ofFormat) + rest)
        #expect(stale.repaired == whole && stale.faults == [.wrongSizes] && stale.frames == Self.frames)
    }

    @Test("Without a size, zeros are silence")
    func silence() async throws {
        let silence = [UInt8](repeating: 0, count: 4_000)
        let (repaired, _, frames) = try await repairing(Self.wav(silence, data: 0))
        #expect(repaired == Self.wav(silence) && frames == 1_000)
    }

    @Test("Chunks after the samples are kept, whatever the size of the whole; a truncated one is not")
    func chunksAfterTheSamples() async throws {
        #expect(try await repairing(Self.wav(riff: 0, after: Self.list)).repaired == Self.wav(after: Self.list))
        let (repaired, faults, frames) = try await repairing(Self.wav(after: Self.list + Self.list.dropLast(3)))
        #expect(repaired == Self.wav(after: Self.list))
        #expect(faults == [.cutOff(byteCount: Self.list.count - 3), .wrongSizes] && frames == Self.frames)
    }

    @Test("A missing padding byte")
    func theMissingPadding() async throws {
        let format = Self.little(1, 2) + Self.little(1, 2) + Self.little(48_000) + Self.little(48_000)
        let head = Array("WAVEfmt ".utf8) + Self.little(16) + format + Self.little(1, 2) + Self.little(8, 2)
        let file = Array("RIFF".utf8) + Self.little(39) + head + Array("data".utf8) + Self.little(3) + [1, 2, 3]
        let (repaired, faults, frames) = try await repairing(file)
        #expect(
            repaired == Array("RIFF".utf8) + Self.little(40) + head + Array("data".utf8) + Self.little(3) + [
                1, 2, 3, 0,
            ])
        #expect(faults == [.noPadding, .wrongSizes] && frames == 3)
    }

    @Test("Padding that a chunk before the samples lacks is inserted, in a new file")
    func missingPaddingBeforeTheSamples() async throws {
        let odd = Array("LIST".utf8) + Self.little(5) + Array("INFOa".utf8)
        try await TemporaryDirectory.with { directory in
            let (file, other) = (directory.appending(path: "a.wav"), directory.appending(path: "b.wav"))
            try Data(Self.wav(before: odd)).write(to: file)
            let repair = try AudioFileRepair(path: file.path)
            #expect(repair.faults == [.noPadding, .wrongSizes] && repair.frameCount == Self.frames)
            #expect(throws: ACCAudioRecorderError.self) { try repair.repairInPlace() }
            try repair.write(to: other.path)
            let whole = Array("LIST".utf8) + Self.little(6) + Array("INFOa".utf8) + [0]
            #expect(try Data(contentsOf: other) == Data(Self.wav(before: whole)))
        }
    }

    @Test("A wrong size before the samples is named")
    func wrongSizeBeforeTheSamples() async throws {
        let list = Array("LIST".utf8) + Self.little(600) + Array("INFOab".utf8)
        let error = await #expect(throws: ACCAudioRecorderError.self) {
            try await repairing(Self.wav(before: list))
        }
        let cause =
            "the size of its chunk 'LIST' at byte 12, or of one behind it, is wrong: its samples seem to begin behind byte 50"
        #expect(error?.failure?.cause == cause)
    }

    @Test("What a chunk that is cut off leaves without padding gets it")
    func paddingBeforeACutChunk() async throws {
        let samples = Array(Self.samples.prefix(3 * 333))
        let format = Self.little(1, 2) + Self.little(1, 2) + Self.little(48_000) + Self.little(144_000)
        let head = Array("WAVEfmt ".utf8) + Self.little(16) + format + Self.little(3, 2) + Self.little(24, 2)
        let content = head + Array("data".utf8) + Self.little(samples.count) + samples
        let file = Array("RIFF".utf8) + Self.little(content.count + 14) + content + Self.list.dropLast(3)
        let (repaired, _, frames) = try await repairing(file)
        #expect(repaired == Array("RIFF".utf8) + Self.little(content.count + 1) + content + [0] && frames == 333)
    }

    @Test("RF64 has its sizes in a separate chunk")
    func largeSizes() async throws {
        func file(_ sizes: [Int], data: Int = 0xFFFF_FFFF) -> [UInt8] {
            let large = Array("ds64".utf8) + Self.little(28) + sizes.flatMap { Self.little($0, 8) } + Self.little(0)
            return Array("RF64".utf8) + Self.wav(riff: 0xFFFF_FFFF, data: data, before: large).dropFirst(4)
        }
        let size = file([0, 0, 0]).count
        let whole = file([size - 8, Self.samples.count, Self.frames])
        for stale in [file([0, 0, 0]), file([500, 400, 100]), file([0, 0, 0], data: 0)] {
            let (repaired, faults, frames) = try await repairing(stale)
            #expect(repaired == whole && faults == [.wrongSizes] && frames == Self.frames)
        }
        #expect(try await repairing(whole).faults.isEmpty)
    }

    @Test("A WAV file above 4 GiB becomes RF64, in place if there is room for the chunk")
    func largeFiles() async throws {
        try await TemporaryDirectory.with { directory in
            // Other recorders may have left anything in it.
            let room = Array("JUNK".utf8) + Self.little(28) + [UInt8](repeating: 7, count: 28)
            for before in [room, []] {
                let path = directory.appending(path: "large\(before.count).wav").path
                let head = Self.wav([], riff: 0, data: 0, before: before)
                let file = try FileDescriptor.open(
                    FilePath(path), .readWrite, options: [.create], permissions: .ownerReadWrite)
                defer { try? file.close() }
                try file.writeAll(head)
                // A sparse file, which takes no space on the disk.
                let samples = 5_000_000_000
                try file.resize(to: Int64(head.count + samples + 3))
                let repair = try AudioFileRepair(path: path)
                #expect(repair.faults == [.cutOff(byteCount: 3), .wrongSizes] && repair.frameCount == samples / 4)
                guard !before.isEmpty else {
                    let error = #expect(throws: ACCAudioRecorderError.self) { try repair.repairInPlace() }
                    #expect(error?.failure?.reason == .damaged)
                    continue
                }
                try repair.repairInPlace()
                let repaired = try AudioFileRepair(path: path)
                #expect(repair.format == "RF64" && repaired.format == "RF64")
                #expect(repaired.isWhole && repaired.frameCount == samples / 4)
                var furtherSizes = [UInt8](repeating: 9, count: 4)
                _ = try furtherSizes.withUnsafeMutableBytes { try file.read(fromAbsoluteOffset: 12 + 8 + 24, into: $0) }
                #expect(furtherSizes == [0, 0, 0, 0])
            }
        }
    }

    @Test("Insertions move the rest")
    func insertions() async throws {
        try await TemporaryDirectory.with { directory in
            let paths = ["from", "to"].map { FilePath(directory.appending(path: $0).path) }
            let files = try paths.map {
                try FileDescriptor.open($0, .readWrite, options: [.create], permissions: .ownerReadWrite)
            }
            defer { for file in files { try? file.close() } }
            try files[0].writeAll("0123456789".utf8)
            var plan = AudioFileExamination.Plan(keptByteCount: 8, tail: Array("!".utf8))
            plan.insertion = .init(offset: 4, bytes: Array("abc".utf8))
            _ = plan.patch(Array("x".utf8), over: [], at: 1)
            _ = plan.patch(Array("y".utf8), over: [], at: 6)
            try plan.write(from: files[0], to: files[1])
            #expect(try Data(contentsOf: URL(filePath: paths[1].string)) == Data("0x23abc45y7!".utf8))
        }
    }
}
