import FoundationEssentials
import Synchronization

/// Something that the user probably did not intend. Each warning is sent once per recording.
@nonexhaustive
public enum RecordingWarning: Sendable, Hashable, Codable {
    /// The source is muted: the recording will be silent.
    case sourceMuted(AudioSource)
    /// The sink whose monitor is recorded is muted: the recording will be silent.
    case sinkMuted(MonitoredSink)
    /// The server has muted the recording's own stream, given by its index: the recording will be silent.
    case streamMuted(UInt32)
    /// The recording began with this much digital silence.
    case silence(length: Duration, source: AudioSource)
    /// The application to be recorded, as it was named, plays nothing, but another one with a similar name does.
    case unknownApplication(String, similar: String)
    /// One of several inputs is not there, as it was named: its channels are silent until it comes.
    case inputAbsent(String)
    /// The source delivers samples that are not finite: NaN is replaced by silence, infinity by full scale.
    case nonFiniteSamples(AudioSource)
    /// The source's volume is not 100 %, which changes its samples. Only in mode `measurement`.
    case volumeNotUnity(AudioSource)
    /// The volume of the sink whose monitor is recorded is not 100 %, which changes the monitor's samples or may do so.
    /// Only in mode `measurement`.
    case sinkVolumeNotUnity(MonitoredSink)
    /// The source is a filter that the server applies to another source. Only in mode `measurement`.
    case filterSource(AudioSource)
    /// Of the named application's streams, one is missing for this long before this offset, because the server has moved it,
    /// dropped audio, or played it before it could be captured. What the others played is there, so the recording is not shorter.
    case streamMissing(String, length: Duration, offset: Duration)
    /// An output failed to do something, and continues without it.
    case output(ACCAudioRecorderError)
    /// The disk of the named output has room for only this much more. Sent once, when ten minutes are left.
    case diskFilling(String, room: Duration)
    /// The disk of the named output has room for this much, which is less than the recording's limit.
    case diskTooSmall(String, room: Duration, limit: Duration)
    /// A killed recording that was to replace a file left a partial file at this path.
    case leftBehind(String)
    /// The named output is this much behind. Once it reaches its limit, or 256 MiB, its overflow policy
    /// applies.
    case outputBehind(String, delay: Duration, limit: Duration, policy: OverflowPolicy)
    /// The named output has reached its limit and drops frames until it catches up; `RecordingEvent.outputGap` then
    /// reports how many.
    case outputDropping(String, limit: Duration)
    /// The named output keeps the recording's channel order, which its container cannot describe.
    case channelsMisplaced(String, map: ChannelMap, container: Container)

    private enum CodingKeys: String, CodingKey {
        case silence, output
        case sourceMuted = "source_muted"
        case sinkMuted = "sink_muted"
        case streamMuted = "stream_muted"
        case unknownApplication = "unknown_application"
        case inputAbsent = "input_absent"
        case nonFiniteSamples = "non_finite_samples"
        case volumeNotUnity = "volume_not_unity"
        case sinkVolumeNotUnity = "sink_volume_not_unity"
        case filterSource = "filter_source"
        case streamMissing = "stream_missing"
        case diskFilling = "disk_filling"
        case diskTooSmall = "disk_too_small"
        case leftBehind = "left_behind"
        case outputBehind = "output_behind"
        case outputDropping = "output_dropping"
        case channelsMisplaced = "channels_misplaced"
    }

    private enum SourceMutedCodingKeys: String, CodingKey { case _0 = "source" }
    private enum SinkMutedCodingKeys: String, CodingKey { case _0 = "sink" }
    private enum StreamMutedCodingKeys: String, CodingKey { case _0 = "stream" }
    private enum SilenceCodingKeys: String, CodingKey {
        case length = "seconds"
        case source
    }
    private enum UnknownApplicationCodingKeys: String, CodingKey {
        case _0 = "name"
        case similar
    }
    private enum InputAbsentCodingKeys: String, CodingKey { case _0 = "name" }
    private enum NonFiniteSamplesCodingKeys: String, CodingKey { case _0 = "source" }
    private enum VolumeNotUnityCodingKeys: String, CodingKey { case _0 = "source" }
    private enum SinkVolumeNotUnityCodingKeys: String, CodingKey { case _0 = "sink" }
    private enum FilterSourceCodingKeys: String, CodingKey { case _0 = "source" }
    private enum StreamMissingCodingKeys: String, CodingKey {
        case _0 = "name"
        case length = "seconds"
        case offset
    }
    private enum OutputCodingKeys: String, CodingKey { case _0 = "error" }
    private enum DiskFillingCodingKeys: String, CodingKey {
        case _0 = "name"
        case room = "seconds"
    }
    private enum DiskTooSmallCodingKeys: String, CodingKey {
        case _0 = "name"
        case room = "seconds"
        case limit
    }
    private enum LeftBehindCodingKeys: String, CodingKey { case _0 = "path" }
    private enum OutputBehindCodingKeys: String, CodingKey {
        case _0 = "name"
        case delay = "seconds"
        case limit, policy
    }
    private enum OutputDroppingCodingKeys: String, CodingKey {
        case _0 = "name"
        case limit
    }
    private enum ChannelsMisplacedCodingKeys: String, CodingKey {
        case _0 = "name"
        case map = "channel_map"
        case container
    }
}

extension RecordingWarning: CustomStringConvertible {
    /// The problem and its remedy.
    public var description: String { remedy.map { "\(problem). \($0)" } ?? problem }

    /// The problem.
    public var problem: String {
        switch self {
        case .sourceMuted(let source): "'\(source.description)' is muted, so the recording is silent"
        case .sinkMuted(let sink):
            "'\(sink.description)', whose monitor is recorded, is muted, so the recording is silent"
        case .streamMuted: "the server muted this recording (it restored an earlier mute)"
        case .silence(let length, _): "\(Int(length.seconds)) seconds of digital silence so far"
        case .unknownApplication(let name, let similar): "'\(name)' plays nothing, but '\(similar)' does"
        case .inputAbsent(let name): "'\(name)' is not there: its channels are silent until it comes"
        case .nonFiniteSamples(let source):
            "'\(source.description)' delivers NaN or infinite samples, which are replaced by silence and full scale"
        case .volumeNotUnity(let source):
            "the volume of '\(source.description)' is \(source.volume), so its samples are changed"
        case .sinkVolumeNotUnity(let sink):
            "the volume of '\(sink.description)', whose monitor is recorded, is \(sink.volume), so its samples "
                + "\(sink.volumeEffect == .applied ? "are" : "may be") changed"
        case .filterSource(let source):
            "'\(source.description)' is a filter that the server derives from another source"
        case .streamMissing(let name, let length, let offset):
            "one stream of '\(name)' is missing for \(GapLabel.length(length.seconds)) before "
                + GapLabel.length(offset.seconds)
        case .output(let error): "\(error)"
        case .diskFilling(let name, let room): "the disk of \(name) has room for only \(Self.text(of: room)) more"
        case .diskTooSmall(let name, let room, let limit):
            "the disk of \(name) has room for \(Self.text(of: room)) of the \(Self.text(of: limit)) to be "
                + "recorded"
        case .leftBehind(let path): "'\(path)' is a partial file of a recording that was killed"
        case .outputBehind(let name, let delay, _, _): "\(name) is \(Self.text(of: delay)) behind"
        case .outputDropping(let name, let limit):
            "audio is being dropped for \(name): its disk or reader is too slow and its buffer of \(Self.text(of: limit)) is full"
        case .channelsMisplaced(let name, let map, let container):
            "\(name) keeps the channel order \(map), which \(container) cannot describe: players will use the wrong speakers"
        }
    }

    /// What to do about it; nil if the problem says it.
    public var remedy: String? {
        switch self {
        case .sourceMuted(let source) where source.kind == .application:
            "Unmute it: pactl set-sink-input-mute \(source.id) 0"
        case .sourceMuted(let source): "Unmute it: pactl set-source-mute \(source.name) 0"
        case .sinkMuted(let sink): "Unmute it: pactl set-sink-mute \(sink.name) 0"
        case .streamMuted(let index): "Unmute it: pactl set-source-output-mute \(index) 0"
        case .silence(_, let source):
            "Check that '\(source.description)' is the right source, plugged in and not muted."
        case .unknownApplication: "Check the name if you meant that."
        case .inputAbsent: "Plug it in, or check the name."
        case .nonFiniteSamples: "Check the filter or program that produces them."
        case .volumeNotUnity(let source) where source.kind == .application:
            "Set it to 100 %: pactl set-sink-input-volume \(source.id) 100%"
        case .volumeNotUnity(let source): "Set it to 100 %: pactl set-source-volume \(source.name) 100%"
        case .sinkVolumeNotUnity(let sink): "Set it to 100 %: pactl set-sink-volume \(sink.name) 100%"
        case .filterSource: "Record the original source instead."
        case .diskFilling, .diskTooSmall: "Free some space, or record to another disk."
        case .leftBehind: "Rename it to keep it, or remove it. A repair makes it playable if it does not open."
        case .outputBehind(_, _, let limit, let policy):
            "Check its disk or reader: " + Self.consequence(of: policy, limit: limit)
        case .streamMissing:
            "The server had played it before it could be captured, or has moved it. Other streams are recorded."
        case .channelsMisplaced: "Use CAF, or name the channels."
        case .output, .outputDropping: nil
        }
    }

    private static func consequence(of policy: OverflowPolicy, limit: Duration) -> String {
        switch policy {
        case .wait: "the buffer grows in memory."
        case .drop: "beyond \(text(of: limit)), audio is dropped."
        case .stop: "at \(text(of: limit)) the output ends."
        }
    }

    /// Hundredths of a second below 10 s, where they matter.
    private static func text(of duration: Duration) -> String {
        let seconds = duration.seconds
        return seconds < 10 ? "\((seconds * 100).rounded() / 100) s" : text(of: Int(seconds))
    }

    /// Whole minutes from two minutes on.
    private static func text(of seconds: Int) -> String {
        seconds < 120 ? "\(seconds) second\(seconds == 1 ? "" : "s")" : "\(seconds / 60) minutes"
    }
}

/// Sends each warning of a recording once.
final class RecordingWarnings: Sendable {
    private let sent = Mutex<[RecordingWarning]>([])
    private let broadcast: RecordingBroadcast

    init(broadcast: RecordingBroadcast) {
        self.broadcast = broadcast
    }

    /// Sends a warning, unless it, or one that explains it, was sent before.
    func send(_ warning: RecordingWarning) {
        let isNew = sent.withLock { sent in
            if sent.contains(where: { $0.explains(warning) }) { return false }
            sent.append(warning)
            return true
        }
        if isNew { broadcast.events.send(.warning(warning)) }
    }
}

extension RecordingWarning {
    /// Whether the other warning adds nothing to this one.
    fileprivate func explains(_ other: RecordingWarning) -> Bool {
        switch (self, other) {
        // Several sources may each be muted.
        case (.sourceMuted(let one), .sourceMuted(let other)), (.volumeNotUnity(let one), .volumeNotUnity(let other)),
            (.filterSource(let one), .filterSource(let other)):
            one.name == other.name
        case (.sinkMuted(let one), .sinkMuted(let other)),
            (.sinkVolumeNotUnity(let one), .sinkVolumeNotUnity(let other)):
            one.name == other.name
        case (.streamMuted, .streamMuted), (.silence, .silence), (.nonFiniteSamples, .nonFiniteSamples),
            (.sourceMuted, .silence), (.sinkMuted, .silence), (.streamMuted, .silence):
            true
        default:
            self == other
        }
    }
}
