import ACCAudioRecorder
import Foundation

/// Values as a recording has them, with each property set, and each event that there is.
public enum Example {
    /// A microphone.
    public static let source = AudioSource(
        id: 7, name: "mic", description: "Microphone",
        sampleSpec: SampleSpec(format: .s24In32LE, sampleRate: 48_000, channelCount: 2), isDefault: false, kind: .usb,
        port: "Front", isAvailable: false, isFilter: true, state: .suspended, isMuted: true,
        volume: SourceVolume(percentages: [40, 100]))
    private static let sink = MonitoredSink(
        name: "speaker", volume: SourceVolume(percentages: [50]), volumeEffect: .perhapsApplied, isMonitorMuted: true)
    /// A full disk.
    public static let error = ACCAudioRecorderError.outputFailed(
        .init(
            .diskFull, "cannot write 'take.wav'", cause: "no space", remedy: "Free some.",
            recoveryOption: .repairFile(path: "take.wav")))
    /// 10 ms that an unplugged device cost, filled with silence.
    public static let gap = RecordingGap(
        position: 48_000, offset: .seconds(1), framesLost: 480, length: .milliseconds(10),
        cause: .interruption(.deviceLost), isFilled: true)
    private static let streamGap = RecordingGap(
        position: 480, offset: .milliseconds(10), framesLost: 48, length: .milliseconds(1), cause: .streamMissing,
        input: "desktop")
    private static let output = RecordingOutput(
        .file(path: "take.wav"), container: .wav, encoding: .s24, sampleRate: 44_100, channelCount: 1)
    private static let steps: [ProcessingStep] = [
        .mixed(from: 2, to: 1), .resampled(from: 48_000, to: 44_100), .requantised(from: .float32LE, to: .s16),
        .compressed(.opus), .nonFiniteReplaced, .sourceVolume(source.volume), .sinkVolume(source.volume),
        .perhapsSinkVolume(source.volume), .streamVolume(source.volume), .muted, .streamsMixed, .inputsResampled,
        .inputsAdded,
        .inputsAmplified,
        .streamMissing,
        .filtered, .resampledByServer(method: "soxr-vhq"), .perhapsResampledByGraph(from: 44_100, graph: 48_000),
        .unreported,
    ]
    /// A file that failed after two seconds.
    public static let closed = OutputReport(
        output: output, sampleRate: 44_100, channelMap: .standard(channelCount: 1), firstFrame: 480, frameCount: 88_200,
        byteCount: 264_644, processingSteps: steps, failure: error)

    /// A recording of two seconds to that file.
    public static func report(_ ending: RecordingReport.Ending) -> RecordingReport {
        RecordingReport(
            ending: ending, startDate: Date(timeIntervalSince1970: 1_795_459_354.5), source: source,
            sampleRate: 44_100, channelCount: 1, frameCount: 88_200, framesLost: 480, gaps: [gap],
            streamGaps: [streamGap], mutes: [RecordingMute(source: source.name, frames: 480..<960)],
            levels: [ChannelLevel(peak: 1, rms: 0, clippedCount: 3, sampleCount: 88_200)], nonFiniteCount: 2,
            findings: [finding], figures: figures, outputs: [closed], inputs: [input])
    }

    private static let finding = SignalFinding(
        .silence, channels: [1], frames: 480..<960, isOngoing: true, value: 0.01)

    private static let figures = try? JSONDecoder().decode(
        SignalFigures.self,
        from: Data(
            #"{"frames":88200,"integrated":-23.5,"channels":[{"peak":0,"rms":-20,"true_peak":0.5,"mean":0}]}"#.utf8))

    private static let input = RecordedInput(
        name: "desktop", source: source, channels: [2], offset: .milliseconds(250), uncertainty: .microseconds(500),
        clockDrift: -12.5,
        systemDrift: 20, correction: .milliseconds(3))

    private static let warnings: [RecordingWarning] = [
        .sourceMuted(source), .sinkMuted(sink), .streamMuted(3), .silence(length: .seconds(10), source: source),
        .nonFiniteSamples(source), .volumeNotUnity(source), .sinkVolumeNotUnity(sink), .filterSource(source),
        .streamMissing("player", length: .microseconds(62_500), offset: .milliseconds(12_250)), .output(error),
        .diskFilling("'take.wav'", room: .seconds(600)),
        .diskTooSmall("'take.wav'", room: .seconds(60), limit: .seconds(120)),
        .leftBehind(".take.wav.part"),
        .outputBehind("'take.wav'", delay: .seconds(5), limit: .seconds(60), policy: .drop),
        .outputDropping("'take.wav'", limit: .seconds(60)),
        .channelsMisplaced("'take.wav'", map: .standard(channelCount: 6), container: .wav),
    ]

    /// Each event, with each cause, warning and ending.
    public static let events: [RecordingEvent] =
        [
            .opened(
                source,
                format: RecordingFormat(
                    sampleRate: 44_100, channelMap: .standard(channelCount: 1), outputs: [output], inputs: [input])),
            .opened(source, format: RecordingFormat(sampleRate: 44_100, channelMap: .standard(channelCount: 1))),
            .fileOpened(path: "take.wav"), .started(hostTime: 123_456_789), .paused(frame: 480), .resumed(source),
            .fellBack(from: source, to: AudioSource(name: "line", sampleSpec: source.sampleSpec)),
            .switchFailed(.audioEngineStartFailed(error.failure!)), .brokeOff(.noActiveRecording),
            .brokeOff(.nothingRecorded(error.failure!)), .deviceLost(source), .deviceReturned(source),
            .portChanged(source), .muted(source), .unmuted(source),
            .marker(.init(number: 2, frame: 480, offset: .milliseconds(10), label: "here \u{7}")),
            .fileOpened(path: "take-002.wav", after: closed), .outputEnded(output, error: error),
            .outputGap(output, gap: gap),
            .fileClosed(closed), .fileRemoved(path: "take.wav", bound: .age), .soundBegan(frame: 480),
            .soundEnded(frame: 960),
            .signal(finding),
            .limit,
        ] + RecordingInterruption.allCases.map { .interrupted($0) }
        + [RecordingGap.Cause.overrun, .dropped, .outputBehind, .noFile, .sleep, .silence, .streamMissing].map {
            .gap(
                RecordingGap(
                    position: 1, offset: .milliseconds(500), framesLost: 3, length: .milliseconds(250), cause: $0))
        }
        + [
            .gap(
                RecordingGap(
                    position: 480_000, offset: .seconds(10), span: .milliseconds(7_500), framesLost: 4_800,
                    length: .milliseconds(100), cause: .dropped))
        ] + warnings.map { .warning($0) }
        + [
            RecordingReport.Ending.finished, .limit, .silence, .discarded,
            .failed(.captureFailed(error.failure!)),
        ].map {
            .finished(report($0))
        }

    /// Everything that a terminal interprets, or that hides or reorders adjacent text.
    public static let hostileScalars: [Unicode.Scalar] =
        (0..<0x20).map { Unicode.Scalar($0) } + (0x7F..<0xA0).map { Unicode.Scalar($0) } + [
            "\u{AD}", "\u{61C}", "\u{200B}", "\u{200E}", "\u{200F}", "\u{202A}", "\u{202E}", "\u{2028}", "\u{2029}",
            "\u{2066}", "\u{2069}", "\u{FEFF}", "\u{E0001}", "\u{F8FF}",
        ]
}
