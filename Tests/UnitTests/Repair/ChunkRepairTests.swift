import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import ACCAudioRecorder

/// Files made of chunks whose recorder did not come to its end.
@Suite struct ChunkRepairTests {
    private static let frames = 1001
    private static let samples: [UInt8] = (0..<frames * 4).map { UInt8(truncatingIfNeeded: $0 * 7 + 1) }
    private static let list = Array("LIST".utf8) + little(6) + Array("INFOab".utf8)

    private static func little(_ number: Int, _ count: Int = 4) -> [UInt8] {
        ByteOrder.little.bytes(UInt64(number), count: count)
    }

    /// A WAV file of 16 bits and two channels, with the sizes it has to have unless others are named.
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

    /// Mends a file that holds these bytes, in place and to another, and returns what came of it and what was the matter.
    private func mend(_ bytes: [UInt8]) async throws -> (mended: [UInt8], faults: [AudioFileFault], frames: Int?) {
        try await TemporaryDirectory.with { directory in
            let (file, other) = (directory.appending(path: "a.wav"), directory.appending(path: "b.wav"))
            try Data(bytes).write(to: file)
            let repair = try AudioFileRepair(path: file.path)
            #expect(repair.sampleRate == 48_000)
            try repair.write(to: other.path)
            #expect(try Data(contentsOf: file) == Data(bytes))
            let mended = try Data(contentsOf: other)
            try repair.mendInPlace()
            #expect(try Data(contentsOf: file) == mended)
            #expect(try AudioFileRepair(path: other.path).isWhole)
            return (Array(mended), repair.faults, repair.frameCount)
        }
    }

    @Test(
        "Sizes that were never written, are of an earlier moment, or beyond the file",
        arguments: [0, 0xFFFF_FFFF, 0x7FFF_FFFF, 0x7FFF_F000, 400, samples.count + 2, samples.count + 100])
    func staleSizes(size: Int) async throws {
        for riff in [0, 0xFFFF_FFFF, size &+ 36, nil] {
            let (mended, faults, frames) = try await mend(Self.wav(riff: riff, data: size))
            #expect(mended == Self.wav())
            #expect(faults == [.wrongSizes] && frames == Self.frames)
        }
    }

    @Test("A frame that is cut off is left out", arguments: 1...3)
    func aCutFrame(byteCount: Int) async throws {
        let cut = Self.wav(data: 0xFFFF_FFFF).dropLast(4 - byteCount)
        let (mended, faults, frames) = try await mend(Array(cut))
        #expect(mended == Self.wav(Self.samples.dropLast(4)))
        #expect(faults == [.cutOff(byteCount: byteCount), .wrongSizes] && frames == Self.frames - 1)
    }

    @Test("What is whole is left alone", arguments: [[], list, list + list])
    func wholeFiles(after: [UInt8]) async throws {
        let file = Self.wav(after: after)
        let (mended, faults, _) = try await mend(file)
        #expect(mended == file && faults.isEmpty)
    }

    @Test("Chunks after the samples stay, whatever the size of the whole is; one that is cut off does not")
    func chunksAfterTheSamples() async throws {
        #expect(try await mend(Self.wav(riff: 0, after: Self.list)).mended == Self.wav(after: Self.list))
        let (mended, faults, frames) = try await mend(Self.wav(after: Self.list + Self.list.dropLast(3)))
        #expect(mended == Self.wav(after: Self.list))
        #expect(faults == [.cutOff(byteCount: Self.list.count - 3), .wrongSizes] && frames == Self.frames)
    }

    @Test("The byte that makes a size even")
    func theMissingPadding() async throws {
        let format = Self.little(1, 2) + Self.little(1, 2) + Self.little(48_000) + Self.little(48_000)
        let head = Array("WAVEfmt ".utf8) + Self.little(16) + format + Self.little(1, 2) + Self.little(8, 2)
        let file = Array("RIFF".utf8) + Self.little(39) + head + Array("data".utf8) + Self.little(3) + [1, 2, 3]
        let (mended, faults, frames) = try await mend(file)
        #expect(
            mended == Array("RIFF".utf8) + Self.little(40) + head + Array("data".utf8) + Self.little(3) + [1, 2, 3, 0])
        #expect(faults == [.noPadding, .wrongSizes] && frames == 3)
    }

    @Test("RF64 has its sizes in a chunk of their own")
    func largeSizes() async throws {
        func file(_ sizes: [Int], data: Int = 0xFFFF_FFFF) -> [UInt8] {
            let large = Array("ds64".utf8) + Self.little(28) + sizes.flatMap { Self.little($0, 8) } + Self.little(0)
            return Array("RF64".utf8) + Self.wav(riff: 0xFFFF_FFFF, data: data, before: large).dropFirst(4)
        }
        let size = file([0, 0, 0]).count
        let whole = file([size - 8, Self.samples.count, Self.frames])
        for stale in [file([0, 0, 0]), file([500, 400, 100]), file([0, 0, 0], data: 0)] {
            let (mended, faults, frames) = try await mend(stale)
            #expect(mended == whole && faults == [.wrongSizes] && frames == Self.frames)
        }
        #expect(try await mend(whole).faults.isEmpty)
    }

    @Test("A WAV file above 4 GiB becomes RF64, in place where it has room for that")
    func largeFiles() async throws {
        try await TemporaryDirectory.with { directory in
            let room = Array("JUNK".utf8) + Self.little(28) + [UInt8](repeating: 0, count: 28)
            for before in [room, []] {
                let path = directory.appending(path: "large\(before.count).wav").path
                let head = Self.wav([], riff: 0, data: 0, before: before)
                let file = try FileDescriptor.open(
                    FilePath(path), .readWrite, options: [.create], permissions: .ownerReadWrite)
                defer { try? file.close() }
                try file.writeAll(head)
                // Nothing but a hole, which takes no room on the disk.
                let samples = 5_000_000_000
                try file.resize(to: Int64(head.count + samples + 3))
                let repair = try AudioFileRepair(path: path)
                #expect(repair.faults == [.cutOff(byteCount: 3), .wrongSizes] && repair.frameCount == samples / 4)
                guard !before.isEmpty else {
                    let error = #expect(throws: ACCAudioRecorderError.self) { try repair.mendInPlace() }
                    #expect(error?.failure?.reason == .damaged)
                    continue
                }
                try repair.mendInPlace()
                let mended = try AudioFileRepair(path: path)
                #expect(mended.isWhole && mended.format == "RF64" && mended.frameCount == samples / 4)
            }
        }
    }

    @Test("What comes in between moves the rest")
    func insertions() async throws {
        try await TemporaryDirectory.with { directory in
            let paths = ["from", "to"].map { FilePath(directory.appending(path: $0).path) }
            let files = try paths.map {
                try FileDescriptor.open($0, .readWrite, options: [.create], permissions: .ownerReadWrite)
            }
            defer { for file in files { try? file.close() } }
            try files[0].writeAll("0123456789".utf8)
            var mending = Mending(keptByteCount: 8, tail: Array("!".utf8))
            mending.insertion = .init(offset: 4, bytes: Array("abc".utf8))
            _ = mending.patch(Array("x".utf8), over: [], at: 1)
            _ = mending.patch(Array("y".utf8), over: [], at: 6)
            try mending.write(from: files[0], to: files[1])
            #expect(try Data(contentsOf: URL(filePath: paths[1].string)) == Data("0x23abc45y7!".utf8))
        }
    }
}
