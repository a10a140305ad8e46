import Foundation
import TestSupport
import Testing

/// The page and the picture of `accrec check`, written by the program.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct CheckOutputTests {
    /// What a page has of a take, as far as it is compared here.
    private struct Take: Decodable {
        struct Place: Decodable {
            let type: String
            let kind: String?
            let start: Double?
        }
        struct Curves: Decodable {
            struct Loudness: Decodable {
                let momentary: Data
                let target: Double?
            }
            let loudness: Loudness
        }
        let name: String
        let address: String?
        let container: String
        let verdict: String
        let places: [Place]
        let curves: Curves?
    }

    private func accrec(
        _ arguments: [String], in directory: URL, with variables: [String: String] = [:], status: Int32
    ) async throws -> ProcessResult {
        let result = try await AccrecProcess.run(
            ["check", "-q"] + arguments, on: nil, environment: variables, in: directory)
        #expect(result.end == .exit(status), "\(result.standardError)")
        return result
    }

    /// The takes of a page, each on the second line of its block.
    private func takes(of page: URL) throws -> [Take] {
        let text = try String(contentsOf: page, encoding: .utf8)
        return try text.components(separatedBy: "class=\"take-data\">\n").dropFirst().map {
            try JSONDecoder().decode(Take.self, from: Data($0.split(separator: "\n")[1].utf8))
        }
    }

    @Test("A page has each file in the order of the command line, with its findings, curves and address")
    func page() async throws {
        try await TemporaryDirectory.with { directory in
            try MadeSound.writeGoodAndBad(to: directory, good: "good take.wav")
            let files = ["bad.wav", "none.wav", "good take.wav"]
            let page = directory.appending(path: "pages/takes.html")
            let options = ["--html", "pages/takes.html", "--mkdir", "--loudness", "-30±20"]
            _ = try await accrec(files + options, in: directory, status: 1)
            let takes = try takes(of: page)
            #expect(takes.map(\.name) == files)
            #expect(takes.map(\.verdict) == ["failed", "failed", "ok"])
            #expect(takes.map(\.address) == ["../bad.wav", nil, "../good%20take.wav"])
            #expect(takes.map(\.container) == ["WAV", "", "WAV"])
            let dropout = try #require(takes.first?.places.first)
            #expect(dropout.type == "failed" && dropout.kind == "dropout" && abs((dropout.start ?? 0) - 2) < 0.001)
            #expect(takes[1].curves == nil && takes[2].places.isEmpty)
            // Twelve seconds have 120 points, all with sound but those of the first 400 ms.
            let loudness = try #require(takes[2].curves?.loudness)
            #expect(loudness.momentary.count == 120 && loudness.momentary.dropFirst(4).allSatisfy { $0 > 0 })
            #expect(loudness.target == -30)
        }
    }

    @Test("An existing page is replaced by --force only, and any other file never")
    func existing() async throws {
        try await TemporaryDirectory.with { directory in
            let take = directory.appending(path: "take.wav")
            try MadeSound(channelCount: 1).file.write(wav: take)
            let content = try Data(contentsOf: take)
            let foreign = directory.appending(path: "foreign.png")
            try FileManager.default.copyItem(at: take, to: foreign)
            for ending in ["svg", "html"] {
                try FileManager.default.copyItem(at: take, to: directory.appending(path: "foreign.\(ending)"))
            }
            for (option, name) in [("--html", "take.html"), ("--picture", "take.svg"), ("--picture", "take.png")] {
                _ = try await accrec(["take.wav", option, name], in: directory, status: 0)
                let refused = try await accrec(["take.wav", option, name], in: directory, status: 11)
                #expect(refused.standardError.contains("--force to replace it"))
                _ = try await accrec(["take.wav", option, name, "--force"], in: directory, status: 0)
                let other = name.replacing("take", with: "foreign")
                let wrong = try await accrec(["take.wav", option, other, "--force"], in: directory, status: 11)
                #expect(wrong.standardError.contains("cannot replace '\(other)': it is not a p"))
            }
            #expect(try Data(contentsOf: take) == content)
            #expect(try Data(contentsOf: foreign) == content)
            let typed = try await accrec(["take.wav", "--html", "take.wav", "--force"], in: directory, status: 64)
            #expect(typed.standardError.contains("--html writes a page, such as takes.html"))
            let same = ["take.wav", "--html", "new", "--picture", "new"]
            _ = try await accrec(same, in: directory, status: 64)
            #expect(!FileManager.default.fileExists(atPath: directory.appending(path: "new").path))
        }
    }

    /// The width and height of an image that ffmpeg can decode, in pixels.
    private static func size(of image: URL) async throws -> String {
        let probe = ["ffprobe", "-v", "error", "-show_entries", "stream=codec_name,width,height", "-of", "csv=p=0"]
        let probed = try await ChildProcess.run(probe + [image.path])
        #expect(probed.end == .exit(0), "\(probed.standardError)")
        return String(decoding: probed.standardOutput, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    @Test("A picture is one of a single file that can be read")
    func picture() async throws {
        try await TemporaryDirectory.with { directory in
            try MadeSound(channelCount: 1).file.write(wav: directory.appending(path: "take.wav"))
            _ = try await accrec(["take.wav", "--picture", "take.svg"], in: directory, status: 0)
            let text = try String(contentsOf: directory.appending(path: "take.svg"), encoding: .utf8)
            #expect(text.hasPrefix("<svg ") && text.contains("<title>take.wav</title>"))
            _ = try await accrec(["take.wav", "--picture", "take.png"], in: directory, status: 0)
            let told = try await AccrecProcess.run(
                ["check", "take.wav", "--picture", "take.svg", "--html", "take.html", "--force"], on: nil, in: directory
            )
            #expect(told.standardError == "accrec: wrote the page 'take.html'\naccrec: wrote the picture 'take.svg'\n")
            let height = try #require(text.firstMatch(of: /viewBox="0 0 1000 ([0-9]+)"/).flatMap { Int($0.1) })
            #expect(try await Self.size(of: directory.appending(path: "take.png")) == "png,2000,\(2 * height)")
            let missing = try await accrec(
                ["take.wav", "--picture", "missing.png"], in: directory, with: ["PATH": directory.path], status: 11)
            #expect(
                missing.standardError.contains("rsvg-convert, which draws it, is not installed. Install librsvg2-bin"))
            let other = try await accrec(["take.wav", "--picture", "take.jpg"], in: directory, status: 64)
            #expect(other.standardError.contains("--picture writes .svg and .png"))
            let two = try await accrec(["take.wav", "take.wav", "--picture", "two.svg"], in: directory, status: 64)
            #expect(two.standardError.contains("Use --html for 2 files."))
            _ = try await accrec(["none.wav", "--picture", "none.svg"], in: directory, status: 1)
            #expect(!FileManager.default.fileExists(atPath: directory.appending(path: "none.svg").path))
        }
    }
}
