import ACCAudioRecorder
import Foundation
import TestSupport
import Testing

/// `accrec info` on what `accrec record` wrote.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct InfoTests {
    @Test(
        "The format, length and tags of a recording",
        arguments: [
            ("take.wav", "WAV (Microsoft), Signed 16 bit PCM"), ("take.flac", "FLAC (Free Lossless Audio Codec), "),
        ])
    func showsARecording(name: String, format: String) async throws {
        try await PrivateServer.withRoom(.pulseAudio) { server in
            try await server.record([name, "--max", "0.5", "-r", "48000", "-c", "2", "-q", "--title", "A title"])
            let info = try await AccrecProcess.run(["info", name], on: nil, in: server.directory)
            #expect(info.end == .exit(0) && info.standardError.isEmpty)
            let lines = info.text.split(separator: "\n")
            #expect(lines.first == "file       \(name)")
            #expect(lines.contains { $0.hasPrefix("format     \(format)") }, "\(lines)")
            #expect(lines.contains("length     0:00.500, 24000 frames"))
            #expect(lines.contains("samples    48000 Hz, 2 channels"))
            #expect(lines.contains("title      A title"))
            #expect(lines.contains { $0.hasPrefix("comment    recorded by accrec ") })
            #expect(!lines.contains { $0.hasPrefix("marker") })
        }
    }

    @Test("Many files are shown, with levels where asked for, and one that cannot be read does not hide the others")
    func manyFiles() async throws {
        try await TemporaryDirectory.with { directory in
            try MadeSound.writeGoodAndBad(to: directory)
            let names = ["good.wav", "none.wav", "bad.wav"]
            let text = try await AccrecProcess.run(["info", "--levels"] + names, on: nil, in: directory)
            #expect(text.end == .exit(1) && text.standardError.contains("cannot read 'none.wav'"))
            #expect(text.text.split(separator: "\n").filter { $0.hasPrefix("loudness   -") }.count == 2, "\(text.text)")
            let json = try await AccrecProcess.run(["info", "--json", "--levels"] + names, on: nil, in: directory)
            let checked = try await AccrecProcess.run(["check", "--json"] + names, on: nil, in: directory)
            #expect(try Self.figures(in: json.text) == Self.figures(in: checked.text))
        }
    }

    private struct Measured: Decodable {
        let file: String
        let figures: SignalFigures
    }

    private static func figures(in lines: String) throws -> [String: SignalFigures] {
        let measured = try lines.split(separator: "\n").map {
            try JSONDecoder().decode(Measured.self, from: Data($0.utf8))
        }
        return Dictionary(uniqueKeysWithValues: measured.map { ($0.file, $0.figures) })
    }

    @Test("The markers of a recording")
    func showsMarkers() async throws {
        try await TmuxTerminal.withAccrec { terminal, server in
            try await terminal.start()
            for number in 1...2 {
                try await terminal.press("m")
                try await terminal.waitForScreen("a marker") { $0.contains { $0.contains("marker '\(number)' at 0:") } }
            }
            try await terminal.press("q")
            #expect(try await terminal.end(on: server) == "status 0\n")
            let info = try await AccrecProcess.run(["info", "take.wav"], on: nil, in: server.directory)
            let markers = info.text.split(separator: "\n").filter { $0.hasPrefix("marker") }
            #expect(markers.count == 2, "\(info.text)")
            for (index, marker) in markers.enumerated() {
                #expect(marker.wholeMatch(of: /marker     0:\d\d\.\d{3} (\d)/)?.1 == "\(index + 1)")
            }
        }
    }

    @Test("The gaps of a recording: from the cue points of a WAV file, and from the chapters of a FLAC file")
    func showsGaps() async throws {
        try await Rooms.with(.pulseAudio) { server, _ in
            let recording = TestRecording(on: server)
            let second = server.file("other.flac")
            let result = try await server.record(recording, with: ["-o", second.path], from: "near") { accrec in
                try await recording.wait(for: 1, accrec)
                try await server.pactl("suspend-source", "near", "1")
                try await accrec.waitForStandardError(containing: "interrupted: source suspended")
                // Long enough for something to be missing: a shorter one may fit into what the server keeps.
                try await SampleClock.with(of: "hall.monitor", on: server) { try await $0.wait(for: 0.5) }
                try await server.pactl("suspend-source", "near", "0")
                try await accrec.waitForStandardError(containing: ": source suspended (")
                try await recording.finish(accrec, after: 0.5)
            }
            let report = result.standardError
            let lost = try #require(report.firstMatch(of: /LOST .* at (0:\d\d\.\d{3}) \(source suspended/))
            for file in [recording.url, second] {
                let info = try await AccrecProcess.run(["info", file.path], on: nil)
                let gaps = info.text.split(separator: "\n").filter { $0.hasPrefix("gap") }
                #expect(gaps.count == 1, "\(info.text)")
                let gap = gaps.first?.wholeMatch(of: /gap        (0:\d\d\.\d{3}) \d+\.\d{3} s: source suspended/)
                #expect(gap?.1 == lost.1)
            }
        }
    }

    @Test("Impossible places in the list of markers are left out or cut off")
    func survivesWrongMarkers() async throws {
        try await TemporaryDirectory.with { directory in
            try PCMFile(rate: 8_000, channels: 1, [Int16](repeating: 0, count: 800)).write(
                wav: directory.appending(path: "a.wav"))
            let lines = [
                "0\t0\tmarkers of a.wav", "1e300\t1e300\tfar", "-1e300\t0\tbefore", "nan\tnan\tnowhere",
                "inf\t0\tat the end", "0.05\t0\there",
            ]
            try Data(lines.joined(separator: "\n").utf8).write(to: directory.appending(path: "a.wav.labels.txt"))
            let info = try await AccrecProcess.run(["info", "a.wav"], on: nil, in: directory)
            #expect(info.end == .exit(0))
            let markers = info.text.split(separator: "\n").filter { $0.hasPrefix("marker") }
            #expect(markers == ["marker     277777777:46:40.000 far", "marker     0:00.050 here"])
        }
    }

    @Test("What of a chained Ogg file is left out is told, with status 1")
    func chainedOgg() async throws {
        try await TemporaryDirectory.with { directory in
            var chain = Data()
            for rate in [48_000, 48_000, 44_100] {
                let link = directory.appending(path: "link.ogg")
                let sox = ["sox", "-n", "-r", "\(rate)", "-c", "1", link.path, "synth", "24000s", "sine", "440"]
                let made = try await ChildProcess.run(sox)
                try #require(made.end == .exit(0), "\(made.standardError)")
                chain += try Data(contentsOf: link)
            }
            try chain.write(to: directory.appending(path: "chain.ogg"))
            let info = try await AccrecProcess.run(["info", "chain.ogg"], on: nil, in: directory)
            #expect(info.end == .exit(1) && info.text.contains("length     0:01.000, 48000 frames"), "\(info.text)")
            let message =
                "accrec: 'chain.ogg' is not shown as a whole: it is a chain of 3 Ogg files, of which 1 is left out"
            #expect(info.standardError.hasPrefix(message), "\(info.standardError)")
        }
    }

    @Test func refusesWhatIsNoAudioFile() async throws {
        try await TemporaryDirectory.with { directory in
            try Data("text".utf8).write(to: directory.appending(path: "a.wav"))
            for (name, cause) in [("a.wav", ""), ("b.wav", "No such file or directory")] {
                let result = try await AccrecProcess.run(["info", name], on: nil, in: directory)
                #expect(result.end == .exit(1))
                #expect(result.standardError.hasPrefix("accrec: cannot read '\(name)': \(cause)"))
            }
        }
    }
}
