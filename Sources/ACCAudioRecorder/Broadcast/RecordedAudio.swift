/// What a subscriber of a recorder's audio gets, in order: buffers, and what is missing between them.
@nonexhaustive
public enum RecordedAudio: Sendable {
    /// The next frames. One is shorter than the others before a gap, a pause and the end.
    case buffer(AudioBufferData)
    /// Frames of the source that are missing in the recording, for all of its subscribers and files, between the buffers before
    /// and after it. It is told with the first frame after it, or at the end of the recording. Its frames are counted at the rate of
    /// the source; ``RecordingGap/length`` is a time. Where one of several inputs lacks frames, ``RecordingGap/input`` names it, and
    /// the gap is told when the input is back: its place is ``RecordingGap/offset``.
    case gap(RecordingGap)
    /// Frames, at the rate of the buffers, that were dropped here for this subscriber only, because it has not read for too long. Gaps
    /// among them are told in their place.
    case dropped(frameCount: Int)
    /// The recording has ended. What follows is of the next one.
    case ended(RecordingReport)
}

extension RecordedAudio: Subscribable {
    var frameCount: Int {
        if case .buffer(let buffer) = self { Int(buffer.frameLength) } else { 0 }
    }

    var seconds: Double {
        if case .buffer(let buffer) = self { Double(buffer.frameLength) / buffer.sampleRate } else { 0 }
    }

    var droppedFrames: Int? {
        if case .dropped(let frameCount) = self { frameCount } else { nil }
    }

    static func dropped(_ frames: Int) -> RecordedAudio? { .dropped(frameCount: frames) }
}

/// The sample rate, the channel count and the input of a subscriber's buffers; what is not given is the recording's.
public struct BufferFormat: Sendable, Hashable {
    /// A whole number of Hz from 8,000 to 384,000; nil for the recording's.
    public var sampleRate: Double?
    /// From 1 to 32; nil for the recording's, or the input's.
    public var channelCount: UInt32?
    /// The name of an input, for its channels alone, of a recording that has several as tracks: `mic`, `desktop`, `app:zoom`, or
    /// the name of a source; nil for all channels.
    public var input: String?

    /// The recording's own format, with all channels.
    public static let recording = BufferFormat()

    /// Creates a format.
    ///
    /// - Parameters:
    ///   - sampleRate: A whole number of Hz from 8,000 to 384,000; nil for the recording's.
    ///   - channelCount: From 1 to 32; nil for the recording's, or the input's.
    ///   - input: The name of an input, for its channels alone; nil for all.
    public init(sampleRate: Double? = nil, channelCount: UInt32? = nil, input: String? = nil) {
        self.sampleRate = sampleRate
        self.channelCount = channelCount
        self.input = input
    }
}

/// A buffer format whose input is known by its channels.
struct BranchFormat: Sendable, Hashable {
    /// In Hz.
    let sampleRate: Int?
    let channelCount: Int?
    /// The channels of the one input that the subscriber asks for; nil for all.
    var track: TrackChannels?

    /// The recording's.
    static let recording = BranchFormat(sampleRate: nil, channelCount: nil)
}

extension BranchFormat {
    /// The stream format that a recording of this format has for its subscribers.
    ///
    /// - Parameters:
    ///   - recording: The recording's own format.
    ///   - captured: The format before conversion, whose channels keep their positions if their number does not change.
    func streamFormat(of recording: StreamFormat, from captured: StreamFormat) -> StreamFormat {
        let maps = track.map { [$0.map] } ?? [recording.channelMap, captured.channelMap]
        let count = channelCount ?? maps[0].count
        return StreamFormat(
            sampleRate: sampleRate ?? recording.sampleRate,
            channelMap: maps.first { $0.count == count } ?? .standard(channelCount: UInt32(count)))
    }
}
