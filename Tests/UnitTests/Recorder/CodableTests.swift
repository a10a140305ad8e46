import ACCAudioRecorder
import Foundation
import Testing

@testable import AccrecCommands

/// D-08: what a recording tells, and the JSON of the command, are the same.
@Suite struct CodableTests {
    private static let source = AudioSource(
        id: 7, name: "mic", description: "Microphone",
        sampleSpec: SampleSpec(format: .s24In32LE, sampleRate: 48_000, channelCount: 2), isDefault: false, kind: .usb,
        port: "Front", isAvailable: false, isFilter: true, state: .suspended, isMuted: true,
        volume: SourceVolume(percentages: [40, 100]))
    private static let sink = MonitoredSink(
        name: "speaker", volume: SourceVolume(percentages: [50]), volumeEffect: .perhapsApplied, isMonitorMuted: true)
    private static let error = ACCAudioRecorderError.outputFailed(
        .init(
            .diskFull, "cannot write 'take.wav'", cause: "no space", remedy: "Free some.",
            recoveryOption: .repairFile(path: "take.wav")))
    private static let gap = RecordingGap(
        position: 48_000, time: 1, framesLost: 480, duration: 0.01, cause: .interruption(.deviceLost), isFilled: true)
    private static let streamGap = RecordingGap(
        position: 480, time: 0.01, framesLost: 48, duration: 0.001, cause: .streamMissing)
    private static let output = RecordingOutput(
        .file(path: "take.wav"), container: .wav, encoding: .s24, sampleRate: 44_100, channelCount: 1)
    private static let steps: [ProcessingStep] = [
        .mixed(from: 2, to: 1), .resampled(from: 48_000, to: 44_100), .requantised(from: .float32LE, to: .s16),
        .compressed(.opus), .nonFiniteReplaced, .sourceVolume(source.volume), .sinkVolume(source.volume),
        .perhapsSinkVolume(source.volume), .streamVolume(source.volume), .muted, .streamsMixed, .streamMissing,
        .filtered, .resampledByServer(method: "soxr-vhq"), .perhapsResampledByGraph(from: 44_100, graph: 48_000),
    ]
    private static let closed = OutputReport(
        output: output, sampleRate: 44_100, channelMap: .standard(channelCount: 1), firstFrame: 480, frameCount: 88_200,
        byteCount: 264_644, processingSteps: steps, failure: error)

    private static func report(_ ending: RecordingReport.Ending) -> RecordingReport {
        RecordingReport(
            ending: ending, startDate: Date(timeIntervalSince1970: 1_795_459_354.5), source: source,
            sampleRate: 44_100, channelCount: 1, frameCount: 88_200, framesLost: 480, gaps: [gap],
            streamGaps: [streamGap],
            levels: [ChannelLevel(peak: 1, rms: 0, clippedCount: 3, sampleCount: 88_200)], nonFiniteCount: 2,
            outputs: [closed])
    }

    private static let warnings: [RecordingWarning] = [
        .sourceMuted(source), .sinkMuted(sink), .streamMuted(3), .silence(seconds: 10, source),
        .nonFiniteSamples(source), .volumeNotUnity(source), .sinkVolumeNotUnity(sink), .filterSource(source),
        .streamMissing("player", seconds: 0.0625, offset: 12.25), .output(error),
        .diskFilling("'take.wav'", seconds: 600), .diskTooSmall("'take.wav'", seconds: 60, limit: 120),
        .leftBehind(".take.wav.part"), .outputBehind("'take.wav'", seconds: 5, limit: 60, .drop),
        .outputDropping("'take.wav'", limit: 60),
        .channelsMisplaced("'take.wav'", .standard(channelCount: 6), .wav),
    ]

    static let events: [RecordingEvent] =
        [
            .started(
                source, RecordingFormat(sampleRate: 44_100, channelMap: .standard(channelCount: 1), outputs: [output])),
            .fileCreated(path: "take.wav"), .firstFrame(hostTime: 123_456_789), .paused(frame: 480), .resumed(source),
            .fellBack(from: source, to: AudioSource(name: "line", sampleSpec: source.sampleSpec)),
            .switchFailed(.audioEngineStartFailed(error.failure!)), .brokeOff(.noActiveRecording),
            .brokeOff(.nothingRecorded(error.failure!)), .deviceLost(source), .deviceReturned(source),
            .portChanged(source), .marker(.init(number: 2, frame: 480, time: 0.01, label: "here \u{7}")),
            .newFile(path: "take-002.wav", after: closed), .outputEnded(output, error), .outputGap(output, gap),
            .fileCompleted(closed), .fileRemoved(path: "take.wav"), .soundBegan(frame: 480), .soundEnded(frame: 960),
            .limitReached,
        ] + RecordingInterruption.allCases.map { .interrupted($0) }
        + [RecordingGap.Cause.overrun, .dropped, .outputBehind, .noFile, .sleep, .silence, .streamMissing].map {
            .gap(RecordingGap(position: 1, time: 0.5, framesLost: 3, duration: 0.25, cause: $0))
        } + warnings.map { .warning($0) }
        + [
            RecordingReport.Ending.finished, .limitReached, .silence, .discarded,
            .failed(.captureFailed(error.failure!)),
        ].map {
            .finished(report($0))
        }

    @Test("D-08: each event is decoded from its own JSON, and from the line that the command writes", arguments: events)
    func isDecoded(event: RecordingEvent) throws {
        let encoded = try JSONEncoder().encode(event)
        #expect(try JSONDecoder().decode(RecordingEvent.self, from: encoded) == event)
        let line = try #require(EventRecord.records(of: event, frame: 9, isStrict: false).last)
        let written = Data(try JSONText.line(line).utf8)
        #expect(try JSONDecoder().decode(RecordingEvent.self, from: written) == event)

        let keys = try #require(try JSONSerialization.jsonObject(with: encoded) as? [String: Any])
        let allKeys = try #require(try JSONSerialization.jsonObject(with: written) as? [String: Any])
        #expect(allKeys["version"] as? Int == 1 && allKeys["frame"] as? Int == event.frame ?? 9)
        #expect(Set(allKeys.keys) == Set(keys.keys).union(["version", "time", "frame"]))
    }

    @Test("D-08: the keys of a report, its source, gaps and levels stay what programs rely on")
    func keysOfAReport() throws {
        let encoded = try JSONEncoder().encode(Self.report(.failed(Self.error)))
        let report = try #require(try JSONSerialization.jsonObject(with: encoded) as? [String: Any])
        #expect(
            report.keys.sorted() == [
                "channels", "clipped", "ending", "error", "failure", "frames", "frames_lost", "gaps", "levels",
                "non_finite", "outputs", "sample_rate", "seconds", "source", "started_at", "stream_gaps",
            ])
        let gap = try #require((report["gaps"] as? [[String: Any]])?.first)
        #expect(gap.keys.sorted() == ["frame", "frames_lost", "is_filled", "offset", "reason", "seconds_lost"])
        let level = try #require((report["levels"] as? [[String: Any]])?.first)
        #expect(level.keys.sorted() == ["clipped", "peak", "rms", "samples"])
        let source = try #require(report["source"] as? [String: Any])
        #expect(
            source.keys.sorted() == [
                "channel_map", "channels", "description", "index", "is_available", "is_default", "is_filter",
                "is_monitor", "is_muted", "kind", "name", "port", "sample_format", "sample_rate", "state", "volume",
            ])
    }

    @Test("D-08: a file that is complete is told before what follows, as the report of its output")
    func closedFiles() throws {
        for event in [
            RecordingEvent.newFile(path: "take-002.wav", after: Self.closed), .finished(Self.report(.finished)),
        ] {
            let records = EventRecord.records(of: event, frame: 9, isStrict: false)
            #expect(records.count == 2)
            let line = Data(try JSONText.line(records[0]).utf8)
            #expect(try JSONDecoder().decode(OutputReport.self, from: line) == Self.closed)
            let keys = try #require(try JSONSerialization.jsonObject(with: line) as? [String: Any])
            #expect(keys["event"] as? String == "file_closed" && keys["message"] != nil)
        }
    }

    @Test("Texts for people name the options of whoever writes them")
    func wording() throws {
        let error = ACCAudioRecorderError.outputFailed(
            .init(.fileExists, "a", cause: "b", remedy: "C.", recoveryOption: .replaceFile))
        let event = RecordingEvent.brokeOff(error)
        #expect(String(decoding: try JSONEncoder().encode(event), as: UTF8.self).contains(#""message":"a: b. C.""#))
        #expect(try JSONText.line(event).contains("--force"))
    }

    @Test("D-07: a source is decoded from what the command lists")
    func sources() throws {
        let list = SourceList(
            sources: [Self.source], choice: .success(SourceChoice(source: Self.source, reason: .serverDefault)))
        let line = try JSONText.line(SourceRecord(Self.source, in: list))
        #expect(line.contains(#""is_chosen":true"#))
        #expect(try JSONDecoder().decode(AudioSource.self, from: Data(line.utf8)) == Self.source)
    }

    @Test("Levels are decoded to the precision of decibels")
    func levels() throws {
        let level = ChannelLevel(peak: 0.3, rms: 0.1, clippedCount: 1, sampleCount: 48_000)
        let decoded = try JSONDecoder().decode(ChannelLevel.self, from: JSONEncoder().encode(level))
        #expect(abs(decoded.peakDecibels - level.peakDecibels) < 1e-4)
        #expect(abs(decoded.rmsDecibels - level.rmsDecibels) < 1e-4 && decoded.sampleCount == 48_000)
    }

    @Test(
        "What is unknown is refused",
        arguments: [#"{"event":"level"}"#, #"{"event":"interrupted","reason":"x"}"#, "{}"])
    func unknown(json: String) {
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(RecordingEvent.self, from: Data(json.utf8)) }
    }

    @Test("Numbers that no recording has are refused, or give lengths that can be expressed")
    func impossibleNumbers() throws {
        func decoded<Value: Codable>(_ value: Value, _ key: String, _ number: String) throws -> Value {
            var text = String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
            text.replace(try Regex("\"\(key)\":[-0-9.]+"), with: "\"\(key)\":\(number)")
            return try JSONDecoder().decode(Value.self, from: Data(text.utf8))
        }
        #expect(try decoded(Self.gap, "offset", "1e300").offset == .seconds(1_000_000_000_000))
        #expect(try decoded(Self.gap, "seconds_lost", "-1e300").length == .seconds(-1_000_000_000_000))
        let most = "\(Int.max)"
        #expect(try decoded(Self.closed, "frames", most).length > .seconds(200_000_000_000_000))
        #expect(try decoded(Self.closed, "sample_rate", "0").length == .zero)
        #expect(try decoded(Self.closed, "sample_rate", most).length == .nanoseconds(0))
        let warning = RecordingWarning.outputBehind("'take.wav'", seconds: 20, limit: 60, .drop)
        #expect(try decoded(warning, "seconds", "1e300").problem.contains("16666666666 minutes"))
        for key in ["channels", "sample_rate"] {
            #expect(throws: DecodingError.self) { try decoded(Self.source, key, most) }
            #expect(throws: DecodingError.self) { try decoded(Self.source, key, "-1") }
        }
    }

    @Test("Lengths are exact to the nanosecond")
    func lengths() {
        #expect(Self.report(.finished).length == .seconds(2) && Self.closed.length == .seconds(2))
        let third = RecordingReport(
            source: Self.source, sampleRate: 48_000, channelCount: 2, frameCount: 16_000_000_000)
        #expect(third.length.components.seconds == 333_333)
        #expect(third.length.components.attoseconds == 333_333_333_000_000_000)
        #expect(Self.gap.offset == .seconds(1) && Self.gap.length == .milliseconds(10))
        #expect(InterruptionPolicy(timeout: .milliseconds(500)).timeout == 0.5)
    }
}
