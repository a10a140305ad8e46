import Foundation
import TestSupport
import Testing

@testable import ACCAudioRecorder

/// Chapters in the files of others.
@Suite(.timeLimit(.minutes(1)), .tags(.lengthy, .skipsThreadSanitizer))
struct ForeignChapterTests {
    private func comments(_ texts: [String]) -> [UInt8] {
        let number = { ByteOrder.little.bytes(UInt64($0 as Int), count: 4) }
        return number(0) + number(texts.count) + texts.flatMap { number($0.utf8.count) + Array($0.utf8) }
    }

    private func chapters(_ texts: [String]) -> [Chapter]? {
        VorbisComments(comments(texts)[...])?.chapters.sorted { $0.start < $1.start }
    }

    @Test("Times and names are read as other programs write them")
    func comments() {
        let texts = [
            "chapter000=0:00:01", "Chapter000Name=a", "CHAPTER002=100:00:00.5", "CHAPTER003=00:00:02.12345",
            "CHAPTER003NAME=", "CHAPTER003=00:00:09.000", "CHAPTER003NAME=second", "TITLE=CHAPTER004=00:00:00.000",
        ]
        #expect(
            chapters(texts) == [
                Chapter(start: 1_000, title: "a"), Chapter(start: 2_120 + 3, title: ""),
                Chapter(start: 360_000_500, title: ""),
            ])
    }

    @Test("What is no time is no chapter")
    func badTimes() {
        let times = [
            "", ":", "::", "00:00", "00:00:60.000", "00:60:00.000", "-1:00:00.000", "9999999:00:00", "00:00:01.x",
            "00:00:1:2",
            "1e3:00:00", "00:00:01.000.1", " 0:00:01", "00:00:",
        ]
        for time in times { #expect(chapters(["CHAPTER001=\(time)", "CHAPTER001NAME=x"]) == [], "\(time)") }
        #expect(chapters(["CHAPTER1=00:00:01.000", "CHAPTER0001=00:00:01.000", "CHAPTER00A=00:00:01.000"]) == [])
    }

    @Test("A hundred thousand comments are at most a thousand chapters")
    func manyComments() {
        let texts = (0..<100_000).map { "CHAPTER\(String(1_000 + $0 % 1_000).dropFirst())=00:00:00.\($0 % 10)" }
        #expect(chapters(texts)?.count == 1_000)
    }

    @Test("Truncated comments are none")
    func truncatedComments() {
        let whole = comments(["CHAPTER001=00:00:01.000"])
        for count in whole.indices { #expect(VorbisComments(whole[..<count]) == nil) }
        #expect(VorbisComments([255, 255, 255, 255] + whole) == nil)
    }

    @Test("Damage of any kind is read without a trap, and never written over", arguments: ChapterFixture.kinds)
    func damagedHeads(kind: String) async throws {
        try await TemporaryDirectory.with { directory in
            let file = directory.appending(path: "take.\(kind)")
            let markers = (0..<20).map { (frame: $0 * 1_000, label: "marker \($0)") }
            _ = try await ChapterFixture.record(to: file, markers: markers)
            let whole = [UInt8](try Data(contentsOf: file))
            let end = try #require(try holder(of: file, whole)).range.upperBound
            var random = SplitMix64(seed: 7)
            for _ in 0..<300 {
                var damaged = whole
                for _ in 0..<random.next() % 4 + 1 {
                    let place = Int(random.next() % UInt64(end))
                    damaged[place] = random.next() % 2 == 0 ? UInt8(truncatingIfNeeded: random.next()) : 0xFF
                }
                if random.next() % 4 == 0 { damaged.removeLast(Int(random.next() % UInt64(damaged.count))) }
                if kind.hasPrefix("o") { correctChecksums(&damaged, until: end) }
                guard let holder = try holder(of: file, damaged) else { continue }
                #expect(holder.range.upperBound <= damaged.count && holder.chapters.count <= 20)
                _ = holder.bytes(with: [Chapter(start: 1, title: "x")], until: 2)
            }
        }
    }

    /// Corrects the checksums of Ogg pages, so that damage in them is read.
    private func correctChecksums(_ bytes: inout [UInt8], until end: Int) {
        var offset = 0
        while offset < end, let length = OggPage.length(of: bytes[offset...]), offset + length <= bytes.count {
            bytes.replaceSubrange(
                offset..<offset + length, with: OggPage(unchecked: Array(bytes[offset..<offset + length])).bytes)
            offset += length
        }
    }

    private func holder(of file: URL, _ content: [UInt8]) throws -> (any Chapter.Holder)? {
        try Data(content).write(to: file)
        let handle = try FileHandle(forReadingFrom: file)
        return try AudioFileReader(.init(rawValue: handle.fileDescriptor), name: "file").chapterHolder
    }
}
