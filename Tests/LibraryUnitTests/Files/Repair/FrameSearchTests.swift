import Foundation
import TestSupport
import Testing

@testable import ACCAudioRecorder

/// Frames and pages are found wherever the pieces end in which a file is read.
// Scans many megabytes byte by byte, which takes minutes under a sanitiser.
@Suite(.timeLimit(.minutes(1)), .tags(.lengthy, .skipsThreadSanitizer, .skipsAddressSanitizer))
struct FrameSearchTests {
    private func withFile(_ body: (_ write: ([UInt8]) throws -> AudioFileRepair) throws -> Void) async throws {
        try await TemporaryDirectory.with { directory in
            let file = directory.appending(path: "file")
            try body { bytes in
                try Data(bytes).write(to: file)
                return try AudioFileRepair(path: file.path)
            }
        }
    }

    @Test("A FLAC frame that begins anywhere around the end of a piece is counted")
    func framesAtTheEndOfAPiece() async throws {
        let (pieceLength, frameLength) = (1 << 18, 8_000)
        try await withFile { write in
            for place in pieceLength - 4...pieceLength + 3 {
                var (bytes, number) = ([UInt8](), 0)
                while bytes.count < place {
                    // The last one ends at the place.
                    let rest = place - bytes.count
                    let length = rest < 2 * frameLength && rest > frameLength ? rest / 2 : min(frameLength, rest)
                    bytes += MadeFLAC.frame(number, byteCount: length)
                    number += 1
                }
                for _ in 0..<2 {
                    bytes += MadeFLAC.frame(number, byteCount: frameLength)
                    number += 1
                }
                let frameCount = number * MadeFLAC.blockSize
                let repair = try write(MadeFLAC.start(frameCount: frameCount) + bytes)
                #expect(repair.isWhole && repair.frameCount == frameCount, "a frame at \(place): \(repair.faults)")
            }
        }
    }

    @Test("A page after damage is found wherever it begins, and nothing is cut off", arguments: [1, 255])
    func pagesAfterDamage(segmentCount: Int) async throws {
        let start = (0..<3).flatMap { MadeOgg.page($0) }
        let page = MadeOgg.page(3, segmentCount: segmentCount)
        try await withFile { write in
            for gap in Array(1...3) + Array(OggPage.longest - OggPage.longestHeader - 3...OggPage.longest + 3) {
                let bytes = start + [UInt8](repeating: 7, count: gap) + page
                let error = #expect(throws: ACCAudioRecorderError.self, "a page \(gap) bytes later") {
                    _ = try write(bytes)
                }
                let cause = "its page at byte \(start.count) is damaged, with more pages from byte \(start.count + gap)"
                #expect(error?.failure?.cause == cause)
            }
        }
    }
}
