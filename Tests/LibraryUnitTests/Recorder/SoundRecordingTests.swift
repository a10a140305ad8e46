import Foundation
import TestSupport
import Testing

@testable import ACCAudioRecorder

/// Recordings that follow the sound of a source, frame by frame.
@Suite(.timeLimit(.minutes(1)))
struct SoundRecordingTests {
    private static let rate = 48_000
    /// Where the scene sounds, in frames.
    private static let sounds = [96_123..<120_000, 288_001..<290_000, 300_000..<302_000]
    private static let frameCount = 480_000
    /// The length of the windows whose level is measured.
    private static let window = 480

    /// Frame n has the number n modulo 4096 in its lowest bits, far below any level, and half a full scale if it sounds.
    private static func sample(_ frame: Int) -> Float {
        Float(frame % 4_096) * 0x1p-23 + (sounds.contains { $0.contains(frame) } ? 0.25 : 0)
    }

    private static func source() throws -> SyntheticSource {
        try SyntheticSource(sampleRate: Double(rate), channelCount: 1, frameCount: frameCount) { frame, _ in
            sample(frame)
        }
    }

    private func configuration(_ sound: SoundActivation) -> ACCAudioRecorder.Configuration {
        var configuration = ACCAudioRecorder.Configuration(audioSessionMode: .measurement)
        configuration.soundActivation = sound
        return configuration
    }

    private func samples(of path: String) throws -> [Float] {
        var reader = try SoundFileReader(path: path)
        var samples: [Float] = []
        var block = [Float](repeating: 0, count: 4_096)
        while case let count = block.withUnsafeMutableBufferPointer({ reader.read(into: $0) }), count > 0 {
            samples += block.prefix(count)
        }
        return samples
    }

    private func withDirectory(_ body: (URL) async throws -> Void) async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "accrec-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        try await body(directory)
    }

    /// The frames of the scene that are recorded after a start at its beginning, with a pre-roll of 0.1 s and a hold time of
    /// 0.2 s: the windows that sound, rounded outwards.
    private static let passages = [
        0..<9_600, 96_000 - 4_800..<120_000 + 9_600, 288_000 - 4_800..<290_400 + 9_600, 300_000..<302_400 + 9_600,
    ]

    @Test(
        "'join' leaves pauses out, 'split' begins a file with each sound; both add up to the scene, bit for bit",
        arguments: [false, true])
    func pausesAreLeftOut(fillsGaps: Bool) async throws {
        // The last two passages meet.
        let passages = [Self.passages[0], Self.passages[1], Self.passages[2].lowerBound..<Self.passages[3].upperBound]
        for pauses in [SoundActivation.Pauses.join, .split] {
            try await withDirectory { directory in
                let activation = SoundActivation(
                    openingLevel: -40, hold: .seconds(0.2), preRoll: .seconds(0.1), pauses: pauses)
                var configuration = configuration(activation)
                // A pause that is left out is no gap to fill.
                configuration.interruptions.fillsGaps = fillsGaps
                let recorder = ACCAudioRecorder(configuration: configuration, source: try Self.source())
                let path = directory.appending(path: "take.wav").path
                let output = try RecordingOutput(path: path, encoding: .f32)
                let events = try await recorder.startRecording(to: [output]).events
                let report = try #require(await recorder.finishRecording())
                var told: [String] = []
                for await event in events {
                    switch event {
                    case .soundBegan(let frame): told.append("sound \(frame)")
                    case .soundEnded(let frame): told.append("silence \(frame)")
                    case .fileClosed(let report): told.append("completed \(report.frameCount)")
                    case .fileOpened(let path, nil): told.append("created \(URL(filePath: path).lastPathComponent)")
                    default: continue
                    }
                }
                let lengths = passages.map(\.count)
                let ends = [lengths[0], lengths[0] + lengths[1], lengths.reduce(0, +)]
                let gaps = zip(passages, passages.dropFirst()).map { $1.lowerBound - $0.upperBound }
                #expect(report.gaps.map(\.framesLost) == gaps + [Self.frameCount - passages[2].upperBound])
                #expect(report.gaps.map(\.position) == ends && report.gaps.allSatisfy { $0.cause == .silence })
                #expect(report.framesLost == 0 && report.frameCount == ends[2])
                let expected = passages.map { $0.map(Self.sample) }
                if pauses == .join {
                    #expect(try samples(of: path) == expected.flatMap(\.self))
                    #expect(
                        told == [
                            "created take.wav", "silence \(ends[0])", "sound \(ends[0])", "silence \(ends[1])",
                            "sound \(ends[1])", "silence \(ends[2])",
                        ])
                } else {
                    #expect(report.outputs.map(\.frameCount) == lengths)
                    #expect(try report.outputs.map { try samples(of: $0.path ?? "") } == expected)
                    let files = told.filter { !$0.hasPrefix("s") }
                    #expect(
                        files == [
                            "created take.wav", "completed \(lengths[0])", "created take-002.wav",
                            "completed \(lengths[1])", "created take-003.wav", "completed \(lengths[2])",
                        ])
                }
            }
        }
    }

    @Test("A converted recording leaves the same pauses out, and its passages are converted each for itself")
    func convertedPassages() async throws {
        let activation = SoundActivation(openingLevel: -40, hold: .seconds(0.2), preRoll: .seconds(0.1), pauses: .join)
        var configuration = configuration(activation)
        configuration.sampleRate = 16_000
        let recorder = ACCAudioRecorder(configuration: configuration, source: try Self.source())
        try await recorder.startRecording()
        let report = try #require(await recorder.finishRecording())
        #expect(report.frameCount == (9_600 + 38_400 + 28_800) / 3)
        #expect(report.gaps.map(\.position) == [3_200, 16_000, 25_600])
        #expect(report.gaps.map(\.framesLost) == [81_600, 153_600, 168_000])
    }

    @Test("A recording ends exactly its silence limit after the last sound, as it says")
    func silenceEndsARecording() async throws {
        let activation = SoundActivation(openingLevel: -40, silenceLimit: .seconds(3))
        let recorder = ACCAudioRecorder(configuration: configuration(activation), source: try Self.source())
        let events = try await recorder.startRecording().events
        for await event in events {
            guard case .finished(let report) = event else { continue }
            #expect(report.ending == .silence && report.gaps.isEmpty)
            #expect(report.frameCount == 120_000 + 3 * Self.rate)
        }
    }

    @Test(
        "A recording begins exactly its pre-roll before the sound that starts it, which is marked; each kind of save is exact"
    )
    func soundStartsARecording() async throws {
        try await withDirectory { directory in
            let activation = SoundActivation(openingLevel: -40, startsRecording: true)
            let recorder = ACCAudioRecorder(configuration: configuration(activation), source: try Self.source())
            #expect(await !recorder.waitForSound())
            try await recorder.prepareRecording(keeping: .seconds(1.5))
            #expect(await recorder.waitForSound())
            let first = 96_000 - 72_000
            let output = try RecordingOutput(path: directory.appending(path: "take.wav").path, encoding: .f32)
            let events = try await recorder.startRecording(to: [output]).events
            let saved = try await recorder.saveKeptAudio(
                to: RecordingOutput(path: directory.appending(path: "saved.wav").path, encoding: .f32))
            let report = try #require(await recorder.finishRecording())
            #expect(try samples(of: output.pathWhileWritten ?? "") == (first..<Self.frameCount).map(Self.sample))
            #expect(report.frameCount == Self.frameCount - first)
            var markers: [RecordingMarker] = []
            for await case .marker(let marker) in events { markers.append(marker) }
            #expect(markers.map(\.frame) == [72_000] && markers.map(\.label) == ["sound"])
            // All of the last 1.5 s that were there at some moment.
            let content = try samples(of: saved.path ?? "")
            #expect(content.count == 72_000)
            let ends = (96_000...Self.frameCount).filter { Self.sample($0 - 72_000) == content[0] }
            #expect(ends.contains { end in content == (end - 72_000..<end).map(Self.sample) })
        }
    }

    @Test("A sound that was found is recorded although its source is unplugged before the recording is started")
    func soundBeforeASourceGoes() async throws {
        var configuration = configuration(SoundActivation(openingLevel: -40, startsRecording: true))
        configuration.interruptions.onDisconnect = .stop
        let source = try SyntheticSource(
            sampleRate: Double(Self.rate), channelCount: 1, frameCount: Self.frameCount,
            faults: [.init(.removed(nil), atFrame: 110_000)]
        ) { frame, _ in Self.sample(frame) }
        let recorder = ACCAudioRecorder(configuration: configuration, source: source)
        try await recorder.prepareRecording(keeping: .seconds(1.5))
        #expect(await recorder.waitForSound())
        try await eventually("an unplugged source") { await !recorder.isPrepared }
        let events = try await recorder.startRecording().events
        for await event in events {
            guard case .finished(let report) = event else { continue }
            #expect(report.frameCount == 110_000 - (96_000 - 72_000))
        }
    }

    /// The sounds of an hour at 8 kHz, one in eleven seconds: where each is, and whether it is loud enough.
    private static func sound(_ number: Int) -> (frames: Range<Int>, isLoud: Bool) {
        let start = number * 88_000 + 8_000 + number * 37 % 50 * 800
        return (start..<start + 1_600 + number * 13 % 10 * 1_600, number % 3 != 2)
    }

    // What the sanitisers can find in it is in the other tests as well, and an hour takes them long.
    @Test(
        "An hour of noise with sounds in it gives a passage for each sound that is loud enough, and no other",
        .tags(.skipsThreadSanitizer, .skipsAddressSanitizer))
    func anHourOfSounds() async throws {
        let count = 3_600 * 8_000
        let source = try SyntheticSource(sampleRate: 8_000, channelCount: 1, frameCount: count) { frame, _ in
            let noise = Float(frame &* 2_654_435_761 & 0xFFF) * 0x1p-23
            let (frames, isLoud) = Self.sound(frame / 88_000)
            guard frames.contains(frame) else { return noise }
            return noise + (isLoud ? 0.032 : 0.005) * (frame % 8 < 4 ? 1 : -1)
        }
        let activation = SoundActivation(openingLevel: -40, hold: .seconds(0.3), preRoll: .seconds(0.1), pauses: .join)
        let recorder = ACCAudioRecorder(configuration: configuration(activation), source: source)
        try await recorder.startRecording()
        let report = try #require(await recorder.finishRecording())
        let sounds = (0..<count / 88_000 + 1).map(Self.sound).filter { $0.isLoud && $0.frames.upperBound < count }
        let passages = [0..<2_400] + sounds.map { $0.frames.lowerBound - 800..<$0.frames.upperBound + 2_400 }
        let pauses = zip(passages, passages.dropFirst() + [count..<count]).map { $1.lowerBound - $0.upperBound }
        #expect(passages.count > 200 && report.gaps.map(\.framesLost) == pauses)
        #expect(report.frameCount == passages.reduce(0) { $0 + $1.count })
    }

    @Test("Without audio that is kept, nothing is saved")
    func nothingIsSaved() async throws {
        let recorder = ACCAudioRecorder(
            configuration: .init(audioSessionMode: .measurement), source: try Self.source())
        await #expect(throws: ACCAudioRecorderError.self) {
            try await recorder.saveKeptAudio(to: RecordingOutput(path: "/tmp/accrec-none.wav"))
        }
        try await recorder.startRecording()
        await #expect(throws: ACCAudioRecorderError.self) {
            try await recorder.saveKeptAudio(to: RecordingOutput(path: "/tmp/accrec-none.wav"))
        }
        await recorder.discardRecording()
    }
}
