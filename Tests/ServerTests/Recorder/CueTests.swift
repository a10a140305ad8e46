import ACCAudioRecorder
import Foundation
import TestSupport
import Testing

/// New files and markers during a recording.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct CueTests {
    @Test(
        "Twenty cuts neither lose nor duplicate a frame, in outputs of different rates", arguments: ServerKind.allCases)
    func cutsWithoutASeam(kind: ServerKind) async throws {
        try await RecorderFixture.withCounter(kind) { server in
            let names = ["take.wav", "speech.flac"].map { server.directory.appending(path: $0).path }
            let outputs = [
                try RecordingOutput(path: names[0]),
                try RecordingOutput(path: names[1], sampleRate: 16_000, channelCount: 1),
            ]
            let recorder = ACCAudioRecorder(configuration: RecorderFixture.configuration(server))
            let streams = try await recorder.startRecording(to: outputs)
            async let events = RecorderFixture.all(streams.events)
            async let buffers = RecorderFixture.all(streams.buffers)
            for cut in 1...20 {
                try await RecorderFixture.wait(for: Double(cut) * 0.15, of: recorder)
                await recorder.startNewFiles()
                if cut == 10 {
                    await recorder.pauseRecording()
                    // Twice during a pause, which makes one cut before the next frame.
                    await recorder.startNewFiles()
                    await recorder.startNewFiles()
                    try await recorder.resumeRecording()
                }
            }
            try await RecorderFixture.wait(for: 3.3, of: recorder)
            let report = try #require(await recorder.finishRecording())

            let whole = report.outputs.filter { $0.output.container == .wav }
            let speech = report.outputs.filter { $0.output.container == .flac }
            #expect(whole.count >= 15 && whole.count == speech.count)
            var frame = 0
            var numbers: [Int] = []
            for (piece, speechPiece) in zip(whole, speech) {
                let file = try PCMFile(wav: piece.url)
                #expect(piece.firstFrame == frame && piece.frameCount == file.frames)
                numbers += Signal.numbers(inCounter: file.int16, channels: 2).map(Int.init)
                frame += file.frames
                let speechFile = try await PCMFile(flac: speechPiece.url)
                #expect(speechPiece.frameCount == speechFile.frames)
                // Cut at the same time, to the nearest frame.
                #expect(speechPiece.firstFrame == Int((Double(piece.firstFrame) / 3).rounded()))
            }
            #expect(frame == report.frameCount)
            #expect(speech.map(\.frameCount).reduce(0, +) == Int((Double(frame) / 3).rounded()))
            #expect(numbers == (await buffers).flatMap(RecorderFixture.numbers))
            if kind == .pulseAudio {
                // The pause is the only break. PipeWire itself may drop frames on a busy machine.
                let silence = numbers.prefix { $0 == 0 }.count
                let breaks = RecorderFixture.breaks(numbers.filter { $0 != 0 })
                let pause = try #require(await events.compactMap(\.pauseFrame).first)
                #expect(breaks == [pause - 1 - silence])
            }
            let newPaths = await events.compactMap(\.newPath)
            #expect(newPaths.sorted() == (whole.dropFirst() + speech.dropFirst()).map(\.url.path).sorted())
            #expect(whole[1].url.lastPathComponent == "take-002.wav")
        }
    }

    @Test("Markers are in the file, in the sidecar at once, and in the file of their segment")
    func markersAreKept() async throws {
        try await RecorderFixture.withCounter(.pulseAudio) { server in
            let path = server.directory.appending(path: "take.wav")
            let labels = server.directory.appending(path: "take.labels.txt")
            let recorder = ACCAudioRecorder(configuration: RecorderFixture.configuration(server))
            let streams = try await recorder.startRecording(to: [RecordingOutput(path: path.path)])
            async let events = RecorderFixture.all(streams.events)
            try await RecorderFixture.wait(for: 0.5, of: recorder)
            await recorder.mark("a\tb\nc\u{1B}[2J")
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
            try await RecorderFixture.wait(for: 1.2, of: recorder)
            await recorder.mark("last")
            let report = try #require(await recorder.finishRecording())

            let markers = await events.compactMap(\.setMarker)
            let pause = try #require(await events.compactMap(\.pauseFrame).first)
            #expect(markers.map(\.number) == [1, 2, 3] && markers.map(\.label) == ["a\tb\nc\u{1B}[2J", "2", "last"])
            #expect((24_000...pause).contains(markers[0].frame) && markers[1].frame == pause)
            let second = try #require(report.outputs.last)
            #expect(markers[2].frame >= second.firstFrame && markers[2].frame <= report.frameCount)
            #expect(
                try WAVMarker.all(in: path) == markers[..<2].map { WAVMarker(frame: $0.frame, label: $0.label) })
            let placeInPiece = markers[2].frame - second.firstFrame
            #expect(try WAVMarker.all(in: second.url) == [WAVMarker(frame: placeInPiece, label: "last")])
            // The file is still accepted by a strict reader.
            #expect(try PCMFile(wav: path).frames == report.outputs[0].frameCount)
            let line = try String(
                contentsOf: server.directory.appending(path: "take-002.labels.txt"), encoding: .utf8)
            let time = try #require(Double(line.prefix { $0 != "\t" }))
            #expect(abs(time - Double(placeInPiece) / 48_000) < 1e-6)
        }
    }

    @Test("R-10: discarding a recording removes all of its files and markers, and nothing else")
    func discardRemovesAllPieces() async throws {
        try await RecorderFixture.withCounter(.pulseAudio) { server in
            let directory = server.directory.appending(path: "takes")
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            // An existing file is kept; the cut uses the next number.
            let old = directory.appending(path: "take-002.wav")
            try Data("old".utf8).write(to: old)
            let recorder = ACCAudioRecorder(configuration: RecorderFixture.configuration(server))
            _ = try await recorder.startRecording(
                to: [RecordingOutput(path: directory.appending(path: "take.wav").path)])
            try await RecorderFixture.wait(for: 0.2, of: recorder)
            await recorder.mark("x")
            await recorder.startNewFiles()
            try await eventually("the cut") {
                FileManager.default.fileExists(atPath: directory.appending(path: "take-003.wav").path)
            }
            await recorder.mark("y")
            try await eventually("the second marker") {
                FileManager.default.fileExists(atPath: directory.appending(path: "take-003.labels.txt").path)
            }
            await recorder.discardRecording()
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["take-002.wav"])
            #expect(try String(contentsOf: old, encoding: .utf8) == "old")
        }
    }
}

extension OutputReport {
    fileprivate var url: URL {
        guard case .file(let path) = output.destination else { preconditionFailure("a file") }
        return URL(filePath: path)
    }
}

extension RecordingEvent {
    fileprivate var pauseFrame: Int? {
        if case .paused(let frame) = self { frame } else { nil }
    }

    fileprivate var newPath: String? {
        if case .newFile(let path, _) = self { path } else { nil }
    }

    fileprivate var setMarker: RecordingMarker? {
        if case .marker(let marker) = self { marker } else { nil }
    }
}
