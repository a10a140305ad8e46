/// Something that is probably not what the recording's user wants, told once, when the recording starts.
public enum RecordingWarning: Sendable, Hashable {
    /// The source is muted: the recording will be silent.
    case sourceMuted(AudioSource)
    /// The sink whose monitor is recorded is muted: the recording will be silent.
    case sinkMuted(MonitoredSink)
    /// The server has muted the recording's own stream, by its number: the recording will be silent.
    case streamMuted(UInt32)
    /// The recording began with so many seconds of digital silence.
    case silence(seconds: Int, AudioSource)
    /// The source's volume is not 100 %: its samples are changed. Told in mode `measurement`.
    case volumeNotUnity(AudioSource)
    /// The volume of the sink whose monitor is recorded is not 100 %: the monitor's samples are changed, or may be. Told
    /// in mode `measurement`.
    case sinkVolumeNotUnity(MonitoredSink)
    /// The source is what the server made of another. Told in mode `measurement`.
    case filterSource(AudioSource)
    /// An output could not do what it was to do, and goes on as it was.
    case output(ACCAudioRecorderError)
    /// The disk of the output of that name has room for no more than so many seconds. Told once, when ten minutes are
    /// left.
    case diskFilling(String, seconds: Int)
    /// The disk of the output of that name has room for so many seconds, which is less than the recording's limit.
    case diskTooSmall(String, seconds: Int, limit: Int)
    /// A take that was to replace a file, and was killed, left what it had until then at this path.
    case leftBehind(String)
    /// The output of that name is behind by so many seconds. When it comes to as many as it may be, or to 256 MiB, its
    /// policy says what becomes of it.
    case outputBehind(String, seconds: Int, limit: Int, OverflowPolicy)
}

extension RecordingWarning: CustomStringConvertible {
    /// What is the matter, and what to do.
    public var description: String {
        switch self {
        case .sourceMuted(let source):
            "'\(source.description)' is muted, so the take is silent. Unmute it: pactl set-source-mute \(source.name) 0"
        case .sinkMuted(let sink):
            "'\(sink.description)', whose monitor is recorded, is muted, so the take is silent. "
                + "Unmute it: pactl set-sink-mute \(sink.name) 0"
        case .streamMuted(let index):
            "the server has muted this recording (it restores an earlier mute). "
                + "Unmute it: pactl set-source-output-mute \(index) 0"
        case .silence(let seconds, let source):
            "\(seconds) seconds of digital silence so far. See that '\(source.description)' is the right source, that "
                + "it is plugged in, and that nothing mutes it."
        case .volumeNotUnity(let source):
            "the volume of '\(source.description)' is \(source.volume), so its samples are not as they were. "
                + "Set it to 100 %: pactl set-source-volume \(source.name) 100%"
        case .sinkVolumeNotUnity(let sink):
            "the volume of '\(sink.description)', whose monitor is recorded, is \(sink.volume), so its samples "
                + "\(sink.volumeEffect == .applied ? "are not" : "may not be") as they were. "
                + "Set it to 100 %: pactl set-sink-volume \(sink.name) 100%"
        case .filterSource(let source):
            "'\(source.description)' is a filter: the server made it of another source. Record that one instead."
        case .output(let error): "\(error)"
        case .diskFilling(let name, let seconds):
            "the disk of \(name) has room for \(Self.text(of: seconds)) more. Make room, or record to another disk."
        case .diskTooSmall(let name, let seconds, let limit):
            "the disk of \(name) has room for \(Self.text(of: seconds)) of the \(Self.text(of: limit)) that are to be "
                + "recorded. Make room, or record to another disk."
        case .leftBehind(let path):
            "'\(path)' is what a take that was killed had until then. Give it another name to keep it, or remove it; "
                + "'accrec repair' mends it where it does not open."
        case .outputBehind(let name, let seconds, let limit, let policy):
            "\(name) is behind by \(Self.text(of: seconds)). See to its disk or its reader: "
                + Self.consequence(of: policy, limit: limit)
        }
    }

    private static func consequence(of policy: OverflowPolicy, limit: Int) -> String {
        switch policy {
        case .wait: "what waits for it is in memory, more and more."
        case .drop: "beyond \(text(of: limit)) audio is lost there."
        case .stop: "at \(text(of: limit)) it ends."
        }
    }

    /// Minutes where there are several.
    private static func text(of seconds: Int) -> String {
        seconds < 120 ? "\(seconds) second\(seconds == 1 ? "" : "s")" : "\(seconds / 60) minutes"
    }
}
