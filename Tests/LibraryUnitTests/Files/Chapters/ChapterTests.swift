import Foundation
import TestSupport
import Testing

@testable import ACCAudioRecorder

/// The markers of a complete FLAC, Ogg or MP3 file stand in it as chapters.
@Suite(.timeLimit(.minutes(2)), .tags(.skipsThreadSanitizer))
struct ChapterTests {
    private static let markers = [
        (0, "start"), (24_024, "a=b"), (24_024, "gap 0.500 s: device unplugged"), (47_999, "Ω"),
    ]

    @Test("Players show the chapters, the list is gone, and the audio is the same", arguments: ChapterFixture.kinds)
    func chaptersAreInside(kind: String) async throws {
        try await TemporaryDirectory.with { directory in
            let (plain, file) = (directory.appending(path: "a.\(kind)"), directory.appending(path: "take.\(kind)"))
            _ = try await ChapterFixture.record(to: plain)
            let report = try #require(try await ChapterFixture.record(to: file, markers: Self.markers).first)
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).count == 2)
            #expect(try ChapterFixture.markers(of: file) == Self.markers.map(\.1))
            let starts = SoundFileReader.chapters(ofFileAt: file.path).map(\.start).sorted()
            #expect(starts == [0, 500, 500, 999])

            let size = try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int
            #expect(report.byteCount == size && report.failure == nil)
            #expect(report.versions == [FileVersion(path: file.path)])
            let (before, after) = (try DecodedFile(plain), try DecodedFile(file))
            #expect(after.samples == before.samples && after.strings == before.strings)
            if kind != "mp3" { #expect(try AudioFileRepair(path: file.path).isWhole) }
            try await check(file)
        }
    }

    /// Checks what ffmpeg reads.
    private func check(_ file: URL) async throws {
        let entries = "chapter=start_time,end_time:chapter_tags=title"
        let probe = try await ChildProcess.run(
            ["ffprobe", "-v", "warning", "-show_chapters", "-show_entries", entries, "-of", "csv=p=0", file.path])
        let lines = probe.text.split(separator: "\n").map(String.init)
        #expect(probe.end == .exit(0) && probe.standardError.isEmpty, "\(probe.standardError)")
        let places = ["0.000000,0.500000", "0.500000,0.500000", "0.500000,0.999000", "0.999000,"]
        let titles = Self.markers.map(\.1)
        #expect(lines.count == 4, "\(lines)")
        for (line, (place, title)) in zip(lines, zip(places, titles)) {
            // ffmpeg has its own ends of the chapters in comments.
            let start = place.prefix { $0 != "," }
            #expect(line.hasPrefix(file.pathExtension == "mp3" ? place : String(start)) && line.hasSuffix(",\(title)"))
        }
    }

    @Test("Whatever the markers are, the file or the list has all of them", arguments: ChapterFixture.kinds)
    func noMarkerIsLost(kind: String) async throws {
        let long = String(repeating: "0123456789", count: 1_000)
        let labels = ["", "=", "a\nb\r\nc", "CHAPTER001=00:00:01.000", "\u{1B}[2J\u{0}", "日本語 🎙", long]
        try await TemporaryDirectory.with { directory in
            for count in [0, 1, 2, 255, 256, 999, 1_000] {
                let file = directory.appending(path: "\(count).\(kind)")
                let markers = (0..<count).map { (frame: $0 * 96, label: count > 9 ? "\($0)" : labels[$0]) }
                _ = try await ChapterFixture.record(to: file, seconds: 2, markers: markers)
                let expected = markers.map { MarkerSidecar.line($0.label) }
                #expect(try ChapterFixture.markers(of: file) == expected)
                let isInside = !SoundFileReader.chapters(ofFileAt: file.path).isEmpty
                #expect(ChapterFixture.hasList(file) == (count > 0 && !isInside))
                #expect(isInside == (count > 0 && count <= (kind == "mp3" ? 255 : 999)), "\(count)")
            }
            for count in [1, 4, 20] {
                let file = directory.appending(path: "long \(count).\(kind)")
                let markers = labels.map { (frame: 0, label: $0) } + (0..<count).map { _ in (frame: 1, label: long) }
                _ = try await ChapterFixture.record(to: file, markers: markers)
                #expect(try ChapterFixture.markers(of: file) == markers.map { MarkerSidecar.line($0.label) })
                // Ogg has no room for more on its page.
                #expect(ChapterFixture.hasList(file) == (count > 4 && ["ogg", "opus"].contains(kind)))
                #expect(try DecodedFile(file).frames >= 48_000)
            }
        }
    }

    @Test("A gap and the markers of each file of a recording are its chapters", arguments: ChapterFixture.kinds)
    func eachFileHasItsOwn(kind: String) async throws {
        try await TemporaryDirectory.with { directory in
            let clock = SyntheticClock()
            let recorder = try NumberedSource.recorder(
                by: clock, faults: [.init(.suspended(.seconds(0.5)), atFrame: 24_000)])
            let path = directory.appending(path: "take.\(kind)")
            _ = try await recorder.startRecording(to: [RecordingOutput(path: path.path)])
            clock.advance(toFrame: 12_000)
            await recorder.mark("first")
            clock.advance(toFrame: 72_000)
            await recorder.startNewFiles()
            clock.advance(toFrame: 84_000)
            await recorder.mark("second")
            clock.advance(toFrame: 96_000)
            let report = try #require(await recorder.finishRecording())
            let files = report.outputs.compactMap { $0.path.map { URL(filePath: $0) } }
            #expect(files.map(\.lastPathComponent) == ["take.\(kind)", "take-002.\(kind)"])
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).count == 2)
            let markers = try files.map { try ChapterFixture.markers(of: $0) }
            #expect(markers == [["first", "gap 0.500 s: source suspended"], ["second"]])
        }
    }

    @Test("A file that replaces another one has chapters, and the old list is gone", arguments: ["flac", "mp3"])
    func replacedFiles(kind: String) async throws {
        try await TemporaryDirectory.with { directory in
            let file = directory.appending(path: "take.\(kind)")
            let most = (0..<1_000).map { (frame: $0, label: "old") }
            _ = try await ChapterFixture.record(to: file, markers: most)
            #expect(ChapterFixture.hasList(file))
            chmod(file.path, 0o640)
            _ = try await ChapterFixture.record(to: file, markers: [(0, "new")], replacing: true)
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == [file.lastPathComponent])
            #expect(try ChapterFixture.markers(of: file) == ["new"])
            let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
            #expect(mode == 0o640)
        }
    }

    @Test("Without room on the disk for a copy, the markers stay in the list", arguments: ChapterFixture.kinds)
    func smallDisks(kind: String) async throws {
        guard SmallDisk.isPossible else { return }
        try await SmallDisk.with(byteCount: 1 << 20) { disk in
            let file = disk.directory.appending(path: "take.\(kind)")
            let (markers, seconds) = ([(frame: 0, label: "m")], kind == "flac" ? 2 : 20)
            let report = try await ChapterFixture.record(to: file, seconds: seconds, markers: markers)
            #expect(report.first?.failure == nil)
            #expect(ChapterFixture.hasList(file) && SoundFileReader.chapters(ofFileAt: file.path).isEmpty)
            #expect(try ChapterFixture.markers(of: file) == ["m"])
            #expect(try FileManager.default.contentsOfDirectory(atPath: disk.directory.path).count == 2)
        }
    }

    @Test("A repaired file keeps its chapters", arguments: ["flac", "ogg", "opus"])
    func repairs(kind: String) async throws {
        try await TemporaryDirectory.with { directory in
            let file = directory.appending(path: "take.\(kind)")
            _ = try await ChapterFixture.record(to: file, markers: [(100, "m")])
            let whole = try Data(contentsOf: file)
            try whole.prefix(whole.count / 3 * 2).write(to: file)
            let repair = try AudioFileRepair(path: file.path)
            #expect(!repair.isWhole)
            try repair.write(to: repair.suggestedPath)
            #expect(SoundFileReader.chapters(ofFileAt: repair.suggestedPath).map(\.title) == ["m"])
        }
    }
}
