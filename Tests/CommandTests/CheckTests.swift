import Foundation
import TestSupport
import Testing

/// `accrec check` on files that are made here.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct CheckTests {
    /// What `--json` prints of a file, as far as it is compared here.
    private struct Result: Decodable {
        struct Finding: Decodable {
            let kind: String
            let channels: [Int]
            let offset: Double
        }
        struct Figures: Decodable {
            let integrated: Double?
            let range: Double?
            let channels: [Channel]
        }
        struct Channel: Decodable {
            let truePeak: Double
        }
        let file: String
        let findings: [Finding]
        let figures: Figures
    }

    private func check(_ arguments: [String], in directory: URL, status: Int32) async throws -> (
        results: [Result], process: ProcessResult
    ) {
        let process = try await AccrecProcess.run(["check", "--json"] + arguments, on: nil, in: directory)
        #expect(process.end == .exit(status), "\(process.standardError)")
        let output = directory.appending(path: "results.jsonl")
        try Data(process.text.utf8).write(to: output)
        try await JSONSchema.expect(output, toFit: "check-1")
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let results = try process.text.split(separator: "\n").map {
            try decoder.decode(Result.self, from: Data($0.utf8))
        }
        return (results, process)
    }

    @Test("A good file has status 0, one with a dropout 13, and results come in the order of the command line")
    func statuses() async throws {
        try await TemporaryDirectory.with { directory in
            try MadeSound.writeGoodAndBad(to: directory)
            let good = try await check(["good.wav"], in: directory, status: 0)
            #expect(good.results.map(\.findings.count) == [0])
            let names = ["bad.wav", "good.wav", "bad.wav", "good.wav"]
            let all = try await check(names, in: directory, status: 13)
            #expect(all.results.map(\.file) == names)
            let finding = try #require(all.results.first?.findings.first)
            #expect(finding.kind == "dropout" && finding.channels == [2] && abs(finding.offset - 2) < 0.001)
            let ignored = try await check(["bad.wav", "--ignore", "dropout"], in: directory, status: 0)
            #expect(ignored.results.map(\.findings.count) == [0])
        }
    }

    @Test("Text has each finding with its place, and says of several files how many are good")
    func text() async throws {
        try await TemporaryDirectory.with { directory in
            try MadeSound.writeGoodAndBad(to: directory)
            let result = try await AccrecProcess.run(["check", "good.wav", "bad.wav"], on: nil, in: directory)
            #expect(result.end == .exit(13))
            #expect(result.standardError == "accrec: 1 of 2 files are good\n")
            let lines = result.text.split(separator: "\n")
            #expect(lines.filter { $0.hasPrefix("result") } == ["result     good", "result     1 finding"])
            #expect(lines.contains("finding    0:02.000 1 dropout, 480 frames on channel 2, for 10 ms"), "\(lines)")
            let quiet = try await AccrecProcess.run(["check", "-q", "good.wav"], on: nil, in: directory)
            #expect(quiet.end == .exit(0) && quiet.text.isEmpty && quiet.standardError.isEmpty)
        }
    }

    @Test("Limits that are not kept are findings")
    func limits() async throws {
        try await TemporaryDirectory.with { directory in
            try MadeSound(channelCount: 2).file.write(wav: directory.appending(path: "a.wav"))
            let measured = try await check(["a.wav"], in: directory, status: 0)
            let loudness = try #require(measured.results.first?.figures.integrated)
            let kept = ["--loudness", "\(loudness)±1", "--max-true-peak", "0", "--min-level", "-50"]
            _ = try await check(["a.wav"] + kept, in: directory, status: 0)
            let broken = [
                "--loudness", "\(loudness + 3)+-1", "--max-true-peak", "-60", "--min-level", "-3", "--min-distance",
                "90",
                "--max-range", "0",
            ]
            let result = try await check(["a.wav"] + broken, in: directory, status: 13)
            #expect(result.results.first?.findings.map(\.kind) == Array(repeating: "limit", count: 7))
            let wrong = try await AccrecProcess.run(["check", "a.wav", "--loudness", "loud"], on: nil, in: directory)
            #expect(wrong.end == .exit(64))
        }
    }

    @Test("Agrees with ffmpeg's ebur128 to a tenth")
    func agreesWithFFmpeg() async throws {
        try await TemporaryDirectory.with { directory in
            // Louder and softer, so that gates and the range have something to decide.
            var sound = MadeSound(channelCount: 2)
            for channel in 0...1 { sound.set(200_000..<400_000, of: channel) { $0[0] * 3 } }
            try sound.file.write(wav: directory.appending(path: "a.wav"))
            let figures = try #require(
                try await check(["a.wav", "--ignore", "jump"], in: directory, status: 0).results.first?.figures)
            let filter = "ebur128=peak=true:metadata=1,ametadata=print:file=-"
            let ffmpeg = try await ChildProcess.run(
                ["ffmpeg", "-nostats", "-i", directory.appending(path: "a.wav").path, "-af", filter, "-f", "null", "-"])
            func last(_ key: String) throws -> Double {
                let lines = ffmpeg.text.split(separator: "\n").filter { $0.hasPrefix("lavfi.r128.\(key)=") }
                return try #require(lines.last.flatMap { Double($0.split(separator: "=")[1]) }, "\(key)")
            }
            #expect(abs(try #require(figures.integrated) - (try last("I"))) <= 0.1)
            #expect(abs(try #require(figures.range) - (try last("LRA"))) <= 0.1)
            let peaks = try figures.channels.indices.map { 20 * log10(try last("true_peaks_ch\($0)")) }
            for (channel, peak) in zip(figures.channels, peaks) { #expect(abs(channel.truePeak - peak) <= 0.1) }
        }
    }

    @Test("A file that cannot be read has status 1, and the others are checked nevertheless")
    func unreadable() async throws {
        try await TemporaryDirectory.with { directory in
            try MadeSound(channelCount: 1).file.write(wav: directory.appending(path: "good.wav"))
            try Data("text".utf8).write(to: directory.appending(path: "a\u{1B}[2J.wav"))
            let all = try await check(["none.wav", "a\u{1B}[2J.wav", "good.wav"], in: directory, status: 1)
            #expect(all.results.map(\.file) == ["good.wav"])
            let errors = all.process.standardError
            #expect(errors.contains("accrec: cannot check 'none.wav': No such file or directory\n"))
            #expect(errors.contains("accrec: cannot check 'a?[2J.wav': "))
        }
    }

    @Test("A file that is cut off, and one that is empty")
    func damaged() async throws {
        try await TemporaryDirectory.with { directory in
            let whole = directory.appending(path: "whole.wav")
            try MadeSound(channelCount: 1).file.write(wav: whole)
            try Data(contentsOf: whole).dropLast(500_000).write(to: directory.appending(path: "cut.wav"))
            let cut = try await check(["cut.wav"], in: directory, status: 13)
            #expect(cut.results.first?.findings.map(\.kind).contains("damaged") == true)
            try PCMFile(rate: 8_000, channels: 1, [Int16]()).write(wav: directory.appending(path: "empty.wav"))
            let empty = try await check(["empty.wav"], in: directory, status: 0)
            #expect(empty.results.first?.figures.integrated == nil)
        }
    }

    @Test("Who checks a file that can be repaired is told how, whether it can be read or not")
    func repairable() async throws {
        try await TemporaryDirectory.with { directory in
            let whole = directory.appending(path: "whole.wav")
            try MadeSound(channelCount: 1).file.write(wav: whole)
            var bytes = try Data(contentsOf: whole)
            bytes.replaceSubrange(4..<8, with: [0, 0, 0, 0])
            try bytes.write(to: directory.appending(path: "sizes.wav"))
            func text(_ name: String) async throws -> String {
                try await AccrecProcess.run(["check", name], on: nil, in: directory).text
            }
            #expect(
                try await text("sizes.wav").hasSuffix("remedy     'accrec repair' writes a file without the damage.\n"))
            #expect(try await !text("whole.wav").contains("accrec repair"))
        }
    }

    @Test("Of a file that is too short for a loudness that is told, and a long one may be below what is measured")
    func short() async throws {
        try await TemporaryDirectory.with { directory in
            for (frames, loudness) in [(3_199, "too short to measure: less than 400 ms"), (3_200, "below -70 LUFS")] {
                try PCMFile(rate: 8_000, channels: 1, [Int16](repeating: 1, count: frames))
                    .write(wav: directory.appending(path: "a.wav"))
                for command in [["check"], ["info", "--levels"]] {
                    let result = try await AccrecProcess.run(command + ["a.wav"], on: nil, in: directory)
                    #expect(result.text.contains("loudness   \(loudness)\n"), "\(result.text)")
                }
            }
        }
    }
}
