import ACCAudioRecorder
import Foundation
import TestSupport
import Testing

/// New files and markers during a recording. Sees the public interface only.
@Suite(.timeLimit(.minutes(1)))
struct CueTests {
    @Test("Twenty cuts neither lose nor duplicate a frame, in outputs of different rates")
    func cutsWithoutASeam() async throws {
        try await TemporaryDirectory.with { directory in
            let names = ["take.wav", "speech.flac"].map { directory.appending(path: $0).path }
            let outputs = [
                try RecordingOutput(path: names[0]),
                try RecordingOutput(path: names[1], sampleRate: 16_000, channelCount: 1),
            ]
            let clock = SyntheticClock()
            let recorder = try NumberedSource.recorder(by: clock)
            let streams = try await recorder.startRecording(to: outputs)
            // No multiple of three, so that the rates have few frames at the same time.
            let interval = 7_207
            for cut in 1...20 {
                clock.advance(toFrame: cut * interval + (cut > 10 ? 48_000 : 0))
                await recorder.startNewFiles()
                if cut == 10 {
                    await recorder.pauseRecording()
                    // Twice during a pause, which makes one cut before the next frame.
                    await recorder.startNewFiles()
                    await recorder.startNewFiles()
                    clock.advance(toFrame: cut * interval + 48_000)
                    try await recorder.resumeRecording()
                }
            }
            clock.advance(toFrame: 21 * interval + 48_000)
            let report = try #require(await recorder.finishRecording())

            let whole = report.outputs.filter { $0.output.container == .wav }
            let speech = report.outputs.filter { $0.output.container == .flac }
            let cuts = (0...20).map { $0 * interval }
            #expect(whole.map(\.firstFrame) == cuts)
            // Cut at the same time, to the nearest frame.
            #expect(speech.map(\.firstFrame) == cuts.map { Int((Double($0) / 3).rounded()) })
            #expect(whole.allSatisfy { $0.frameCount == interval } && report.frameCount == 21 * interval)
            #expect(speech.map(\.frameCount).reduce(0, +) == Int((7.0 * Double(interval)).rounded()))
            var numbers: [Int] = []
            for (piece, speechPiece) in zip(whole, speech) {
                let file = try PCMFile(wav: piece.url)
                #expect(piece.frameCount == file.frames)
                numbers += Signal.numbers(inCounter: file.int16, channels: 2).map { Int($0) }
                #expect(speechPiece.frameCount == (try await PCMFile(flac: speechPiece.url).frames))
            }
            let pause = 10 * interval
            #expect(numbers == Array(0..<pause) + Array(pause + 48_000..<21 * interval + 48_000))
            #expect(numbers == NumberedSource.numbers(await streams.buffers.all))
            let events = await streams.events.all
            #expect(events.compactMap(\.pauseFrame) == [pause])
            let newPaths = (whole.dropFirst() + speech.dropFirst()).map(\.url.path)
            #expect(events.compactMap(\.newPath).sorted() == newPaths.sorted())
            #expect(whole[1].url.lastPathComponent == "take-002.wav")
        }
    }

    @Test("Markers are in the file, in the sidecar at once, and in the file of their segment, each at its frame")
    func markersAreKept() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.appending(path: "take.wav")
            let labels = directory.appending(path: "take.wav.labels.txt")
            let clock = SyntheticClock()
            let recorder = try NumberedSource.recorder(by: clock)
            let streams = try await recorder.startRecording(to: [RecordingOutput(path: path.path)])
            clock.advance(toFrame: 24_001)
            await recorder.mark("a\tb\nc\u{1B}[2J")
            clock.advance(toFrame: 36_000)
            // If the program were killed now, the marker would be kept.
            try await eventually("the marker beside the file") {
                (try? String(contentsOf: labels, encoding: .utf8))?.hasSuffix("\ta b c?[2J\n") == true
            }
            await recorder.pauseRecording()
            await recorder.mark()
            try await eventually("the marker of the pause") {
                try String(contentsOf: labels, encoding: .utf8).hasSuffix("\t2\n")
            }
            try await recorder.resumeRecording()
            await recorder.startNewFiles()
            clock.advance(toFrame: 48_002)
            await recorder.mark("last")
            clock.advance(toFrame: 60_000)
            let report = try #require(await recorder.finishRecording())

            let markers = await streams.events.all.compactMap(\.setMarker)
            #expect(markers.map(\.number) == [1, 2, 3] && markers.map(\.frame) == [24_001, 36_000, 48_002])
            #expect(markers.map(\.label) == ["a\tb\nc\u{1B}[2J", "2", "last"])
            #expect(report.outputs.map(\.firstFrame) == [0, 36_000])
            let second = try #require(report.outputs.last)
            #expect(
                try WAVMarker.all(in: path) == markers[..<2].map { WAVMarker(frame: $0.frame, label: $0.label) })
            #expect(try WAVMarker.all(in: second.url) == [WAVMarker(frame: 12_002, label: "last")])
            // The file is still accepted by a strict reader.
            #expect(try PCMFile(wav: path).frames == 36_000)
            let line = try String(contentsOf: directory.appending(path: "take-002.wav.labels.txt"), encoding: .utf8)
            let last = try #require(line.split(separator: "\n").last)
            let time = try #require(Double(last.prefix { $0 != "\t" }))
            #expect(abs(time - 12_002.0 / 48_000) < 1e-6)
        }
    }

    @Test("R-10: discarding a recording removes all of its files and markers, and nothing else")
    func discardRemovesAllPieces() async throws {
        try await TemporaryDirectory.with { directory in
            // An existing file is kept; the cut uses the next number.
            let old = directory.appending(path: "take-002.wav")
            try Data("old".utf8).write(to: old)
            let clock = SyntheticClock()
            let recorder = try NumberedSource.recorder(by: clock)
            let streams = try await recorder.startRecording(
                to: [RecordingOutput(path: directory.appending(path: "take.wav").path)])
            clock.advance(by: .milliseconds(200))
            await recorder.mark("x")
            await recorder.startNewFiles()
            clock.advance(by: .milliseconds(200))
            try await eventually("the cut") {
                FileManager.default.fileExists(atPath: directory.appending(path: "take-003.wav").path)
            }
            await recorder.mark("y")
            clock.advance(by: .milliseconds(200))
            try await eventually("the second marker") {
                FileManager.default.fileExists(atPath: directory.appending(path: "take-003.wav.labels.txt").path)
            }
            let report = await recorder.discardRecording()
            #expect(report?.ending == .discarded)
            #expect(await streams.events.all.report == report)
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["take-002.wav"])
            #expect(try String(contentsOf: old, encoding: .utf8) == "old")
            await #expect(throws: ACCAudioRecorderError.noActiveRecording) { try await recorder.resumeRecording() }
        }
    }
}

extension OutputReport {
    fileprivate var url: URL { URL(filePath: path ?? "") }
}

extension RecordingEvent {
    fileprivate var pauseFrame: Int? {
        if case .paused(let frame) = self { frame } else { nil }
    }

    fileprivate var newPath: String? {
        if case .fileOpened(let path, _?) = self { path } else { nil }
    }

    fileprivate var setMarker: RecordingMarker? {
        if case .marker(let marker) = self { marker } else { nil }
    }
}
