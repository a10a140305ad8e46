import Foundation
import TestSupport
import Testing

@testable import ACCAudioRecorder

/// Files that are complete by their own header, and what else a repair must not make worse.
@Suite struct CompleteFileTests {
    private func examining(_ bytes: [UInt8], _ body: (AudioFileRepair) throws -> Void) async throws {
        try await TemporaryDirectory.with { directory in
            let file = directory.appending(path: "file")
            try Data(bytes).write(to: file)
            try body(try AudioFileRepair(path: file.path))
        }
    }

    private static func chunk(_ name: String, _ content: [UInt8], stated: Int? = nil, _ order: ByteOrder) -> [UInt8] {
        Array(name.utf8) + order.bytes(UInt64(stated ?? content.count), count: 4) + content
    }

    /// An 8-bit WAV file of one channel, with chunks that stand directly behind the samples.
    private static func wav(code: Int = 1, blockSize: Int = 1, _ samples: [UInt8], after: [UInt8], missing: Int = 0)
        -> [UInt8]
    {
        func number(_ number: Int, _ count: Int) -> [UInt8] { ByteOrder.little.bytes(UInt64(number), count: count) }
        let format =
            number(code, 2) + number(1, 2) + number(8_000, 4) + number(8_000, 4) + number(blockSize, 2) + number(8, 2)
        let rest =
            Array("WAVE".utf8) + chunk("fmt ", format, .little) + chunk("data", samples, .little) + after
        return Array("RIFF".utf8) + number(rest.count + missing, 4) + rest
    }

    private static let samples = (0..<999).map { UInt8(truncatingIfNeeded: $0 * 7 + 1) }

    @Test("Chunks behind an odd number of samples without padding stay chunks")
    func chunksWithoutPadding() async throws {
        let file = Self.wav(Self.samples, after: Self.chunk("LIST", Array("INFOab".utf8), .little))
        try await examining(file) { #expect($0.isWhole && $0.frameCount == 999) }
    }

    @Test("A tag behind an odd number of samples leaves them their padding, or the lack of it", arguments: [0, 1])
    func tagBehindPadding(padding: Int) async throws {
        let tag = Array("TAGSong".utf8) + [UInt8](repeating: 0, count: 121)
        let file = Self.wav(Self.samples, after: [UInt8](repeating: 0, count: padding)) + tag
        try await examining(file) { #expect($0.isWhole && $0.frameCount == 999, "\($0.faults)") }
    }

    @Test("What is left of a truncated chunk does not become samples", arguments: ["FLLR", "JUNK", "regn"])
    func truncatedChunks(name: String) async throws {
        let content = (0..<50).map { UInt8($0 + 1) }
        let file = Self.wav(
            Self.samples + [1], after: Self.chunk(name, content, stated: 500, .little), missing: 450)
        try await examining(file) { #expect($0.frameCount == 1_000 && $0.faults.first == .cutOff(byteCount: 58)) }
    }

    @Test("Compressed samples are not cut to blocks", arguments: [0x50, 0x55, 0x2000])
    func compressedSamples(code: Int) async throws {
        let file = Self.wav(code: code, blockSize: 144, Self.samples + [1], after: [])
        try await examining(file) { #expect($0.isWhole) }
    }

    @Test("AIFF may have an offset before its samples, and its chunks in any order", arguments: [0, 8], [false, true])
    func aiff(offset: Int, isReversed: Bool) async throws {
        let order = ByteOrder.big
        let rate: [UInt8] = [0x40, 0x0B, 0xFA, 0, 0, 0, 0, 0, 0, 0]
        let common = Self.chunk("COMM", [0, 1, 0, 0, 1, 0x90, 0, 16] + rate, order)
        let start = order.bytes(UInt64(offset), count: 4) + [UInt8](repeating: 0, count: 4 + offset)
        let samples = Self.chunk("SSND", start + Array((Self.samples + [1]).prefix(800)), order)
        let file = Self.chunk("FORM", Array("AIFF".utf8) + (isReversed ? samples + common : common + samples), order)
        try await examining(file) { #expect($0.isWhole && $0.frameCount == 400, "\($0.faults)") }
    }

    @Test("AIFF whose padding counts as samples, as libsndfile writes it, has as many frames as it states")
    func countedPadding() async throws {
        let order = ByteOrder.big
        let rate: [UInt8] = [0x40, 0x0B, 0xFA, 0, 0, 0, 0, 0, 0, 0]
        let common = Self.chunk("COMM", [0, 1] + order.bytes(999, count: 4) + [0, 8] + rate, order)
        let samples = Self.chunk("SSND", [UInt8](repeating: 0, count: 8) + Self.samples + [0], order)
        let file = Self.chunk("FORM", Array("AIFF".utf8) + common + samples, order)
        try await examining(file) { #expect($0.isWhole && $0.frameCount == 999, "\($0.faults)") }
    }

    @Test("FLAC behind an ID3v2 tag, or with other blocks before STREAMINFO, is whole")
    func flacWithSomethingBefore() async throws {
        let file = MadeFLAC.start(frameCount: Self.total) + Self.frames
        let tag = Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, 3, 7, 7, 7]
        let block: [UInt8] = [1, 0, 0, 4, 0, 0, 0, 0]
        for whole in [tag + file, file.prefix(4) + block + file.dropFirst(4)] {
            try await examining(whole) { #expect($0.isWhole && $0.frameCount == Self.total, "\($0.faults)") }
        }
        // The total lies elsewhere, too.
        let cut = tag + file.dropLast(10)
        try await examining(cut) { repair in
            try repair.repairInPlace()
            let repaired = try AudioFileRepair(path: repair.path)
            #expect(repaired.isWhole && repaired.frameCount == 2 * MadeFLAC.blockSize)
        }
    }

    @Test("FLAC of old encoders counts audio frames, not FLAC frames, without a mark for it")
    func flacOfOldEncoders() async throws {
        // Frames of 16 audio frames, whose numbers stay below 128.
        let frames = (0..<3).flatMap { MadeFLAC.shortFrame(16 * $0, byteCount: 90) }
        try await examining(MadeFLAC.start(frameCount: 48) + frames) { #expect($0.isWhole && $0.frameCount == 48) }
    }

    @Test("FLAC without frames where its header ends may have some elsewhere")
    func flacWithAWrongHeader() async throws {
        var start = MadeFLAC.start(frameCount: 0)
        start[4] = 0
        start += [4, 0xFF, 0xFF, 0xFF]
        for (file, cause) in [
            (MadeFLAC.start(frameCount: 0) + [7], "no frame begins at byte 42, where its header ends"),
            (start, "a block of its header is larger than the file"),
        ] {
            let error = await #expect(throws: ACCAudioRecorderError.self) {
                try await examining(file + Self.frames) { _ in }
            }
            #expect(error?.failure?.cause == cause)
            #expect(error?.failure?.remedy == "Try to decode it with 'flac' or 'ffmpeg'.")
        }
    }

    private static let frames = (0..<3).flatMap { MadeFLAC.frame($0, byteCount: 2_000) }
    private static let total = 3 * MadeFLAC.blockSize

    @Test(
        "Whatever stands behind a complete FLAC file stays there",
        arguments: [
            Array("TAGSong".utf8) + [UInt8](repeating: 0, count: 121), Array("\n".utf8),
            Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, 9], Array("APETAGEX".utf8) + [UInt8](repeating: 9, count: 60),
            MadeFLAC.start(frameCount: 0) + [1],
        ])
    func flacWithATrailer(trailer: [UInt8]) async throws {
        try await examining(MadeFLAC.start(frameCount: Self.total) + Self.frames + trailer) {
            #expect($0.isWhole && $0.frameCount == Self.total, "\($0.faults)")
        }
    }

    @Test("FLAC that is cut in the header of a frame keeps the frame before", arguments: 1...5)
    func flacCutInAHeader(byteCount: Int) async throws {
        let file =
            MadeFLAC.start(frameCount: 4 * MadeFLAC.blockSize) + Self.frames + MadeFLAC.header(3).prefix(byteCount)
        try await examining(file) {
            #expect($0.frameCount == Self.total && $0.faults == [.cutOff(byteCount: byteCount), .wrongLength])
        }
    }

    @Test("Good FLAC frames behind a damaged one near the end are not cut off")
    func damageNearTheEnd() async throws {
        var frames = Self.frames
        frames[3_000] ^= 1
        let error = await #expect(throws: ACCAudioRecorderError.self) {
            try await examining(MadeFLAC.start(frameCount: Self.total) + frames) { _ in }
        }
        #expect(error?.failure?.cause.contains("with more frames after it") == true)
    }

    @Test("Ogg that ends within its headers has no audio")
    func oggOfHeaders() async throws {
        let error = await #expect(throws: ACCAudioRecorderError.self) {
            try await examining((0..<3).flatMap { MadeOgg.page($0) }) { _ in }
        }
        #expect(error?.failure?.cause == "it ends before the first sample")
    }
}
