import ACCAudioRecorder

@testable import AccrecCommands

extension RecordingStatus {
    /// A running recording with this many channels, each 3 dB quieter than the one before.
    static func made(channels count: Int, phase: RecordingProgress.Phase = .recording) -> RecordingStatus {
        var status = RecordingStatus()
        status.recording.phase = phase
        status.elapsed = 72.34
        status.limit = 120
        status.channels = (0..<count).map { channel in
            let peak = -6 - 3 * Float(channel % 18)
            return Channel(rms: peak - 9, peak: peak, held: peak + 3)
        }
        status.labels = ChannelMap.standard(channelCount: UInt32(count)).labels
        status.file = "take.wav"
        status.byteCount = 6_380_000
        status.room = 45_000
        status.source = "Lark microphone Analog Stereo"
        status.sourceFormat = "48000 Hz \(count) ch s16le"
        status.outputFormat = "48000 Hz \(count) ch s16 wav"
        status.hasKeys = true
        return status
    }

    /// A copy with a change.
    func with(_ change: (inout RecordingStatus) -> Void) -> RecordingStatus {
        var status = self
        change(&status)
        return status
    }

    /// 18:05:30 of a day where the tests run, in seconds since 1970, so that texts do not depend on the time zone.
    static var afternoon: Int { LocalDay(of: 1_700_000_000, addingDays: 0).instant(at: 18 * 3_600 + 5 * 60 + 30) }

    /// One of each kind of status that the meter shows, by name.
    static func madeOfEachKind(channels count: Int) -> [(name: String, status: RecordingStatus)] {
        let recording = made(channels: count)
        return [
            ("recording", recording),
            ("armed", RecordingStatus()),
            ("paused", recording.with { $0.recording.phase = .paused }),
            (
                "waiting",
                recording.with {
                    $0.recording.phase = .waiting(
                        InterruptionText(.deviceLost, since: afternoon, longestWait: .seconds(60)))
                }
            ),
            (
                "clipped",
                recording.with {
                    $0.clippedCount = 1_234
                    $0.channels[count - 1].clippedCount = 1_234
                }
            ),
            (
                "gaps",
                recording.with {
                    $0.recording.gapCount = 2
                    $0.recording.secondsLost = 1.25
                }
            ),
            (
                "scheduled",
                recording.with {
                    $0.recording.phase = .scheduled(seconds: 754, time: "18:05:30")
                    ($0.channels, $0.labels, $0.elapsed) = ([], [], 0)
                    ($0.byteCount, $0.room, $0.source, $0.sourceFormat, $0.outputFormat) = (nil, nil, "", "", nil)
                }
            ),
            (
                "about to begin",
                recording.with {
                    $0.recording.phase = .scheduled(seconds: 4, time: "18:05:30")
                    ($0.elapsed, $0.byteCount, $0.room) = (0, nil, nil)
                }
            ),
            ("muted", recording.with { $0.isMuted = true }),
            ("silent", recording.with { $0.isSilent = true }),
            ("help", recording.with { $0.prompt = .help }),
            ("question", recording.with { $0.prompt = .discardQuestion }),
            (
                "metering",
                recording.with {
                    $0.recording.phase = .metering
                    ($0.file, $0.byteCount, $0.room, $0.outputFormat, $0.limit) = (nil, nil, nil, nil, nil)
                }
            ),
            (
                "playing",
                recording.with {
                    $0.recording.phase = .playing
                    ($0.byteCount, $0.room, $0.source, $0.outputFormat) = (nil, nil, "Speakers", nil)
                }
            ),
            (
                "playback paused",
                recording.with {
                    $0.recording.phase = .playbackPaused
                    ($0.byteCount, $0.room, $0.source, $0.outputFormat) = (nil, nil, "Speakers", nil)
                }
            ),
            ("wide name", recording.with { $0.source = "麦克风 ümlaut 🎤 with a very long name indeed, longer than most" }),
        ]
    }
}
