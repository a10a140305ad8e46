import FoundationEssentials

/// A source without a sound server: samples from an array, a closure or a file, with scripted faults.
///
/// For tests, benchmarks and demonstrations: a recorder of such a source needs no server and runs faster than real
/// time. After the last sample the source delivers nothing until the recording is finished.
public struct SyntheticSource: Sendable {
    /// How fast samples are delivered.
    @nonexhaustive
    public enum Pace: Sendable, Hashable {
        /// At the sample rate, like a microphone.
        case realTime
        /// As fast as the recording can process them, and its subscribers can read their buffers: the source waits for them,
        /// but not for one that has read nothing for two seconds. Finishing a recording waits for the last sample, if the
        /// source has an end.
        case asFastAsPossible
        /// By a clock that the test moves: a frame arrives when the clock has reached its time, counted from the
        /// creation of the recorder, or up to 10 ms later, with the rest of its fragment. A recording begins with the frame
        /// of the clock's time. Finishing a recording waits for
        /// the frames until the clock's time. By the same clock the recorder sends its state, places markers and new
        /// files, and waits for a source that is gone or suspended until it gives up.
        case clock(SyntheticClock)
    }

    /// A fault of the source at a given frame.
    public struct Fault: Sendable, Hashable {
        /// What happens to the source.
        @nonexhaustive
        public enum Kind: Sendable, Hashable {
            /// The server drops the next frames and reports it.
            case dropped(frames: Int)
            /// The next frames are lost, and nothing reports it. The recording finds out by the later arrival of the following
            /// ones.
            case lost(frames: Int)
            /// The source is suspended for this much of its own time, whose frames are not delivered; nil for good.
            case suspended(Duration?)
            /// The device is unplugged and comes back after this much of the source's own time; nil for never.
            case removed(Duration?)
            /// The stream is ended at the server.
            case killed
            /// The server goes away and comes back after this much of the source's own time; nil for never.
            case serverLost(Duration?)
            /// Another source, `synthetic-2`, becomes the server's default. A recording that follows the default
            /// continues with that, which delivers the next samples.
            case defaultChanged
            /// Another program is in a call for this much of the source's own time, nil for good. The frames of that time are
            /// not delivered to a recording that calls interrupt.
            case call(Duration?)
        }

        /// The frame of the source before which it happens.
        public let frame: Int
        /// What happens.
        public let kind: Kind

        /// Creates a fault.
        ///
        /// - Parameters:
        ///   - kind: What happens.
        ///   - frame: The frame of the source before which it happens.
        public init(_ kind: Kind, atFrame frame: Int) {
            self.frame = frame
            self.kind = kind
        }
    }

    /// How fast samples are delivered; as fast as possible by default.
    public var pace: Pace
    /// The scripted faults; none by default.
    public var faults: [Fault]
    /// Whoever pushes the samples; nil if they are there from the beginning.
    var pushed: PushSource?
    /// Changes how a fragment of these frames is stamped, which otherwise arrives at once, and states exactly when it was
    /// captured. Called for one fragment after another, on the source's own thread.
    var restamp: (@Sendable (Range<Int>, inout FragmentStamp) -> Void)?
    /// The source that a recording reports.
    public let source: AudioSource
    /// The number of frames; nil if the source never ends.
    let frameCount: Int?
    /// The source that becomes the default if the default changes.
    var otherSource: AudioSource { AudioSource(id: 1, name: "synthetic-2", sampleSpec: source.sampleSpec) }
    /// Fills a buffer with the samples of these frames, interleaved, in the source's format.
    let read: @Sendable (Range<Int>, UnsafeMutableRawBufferPointer) -> Void

    /// Creates a source that computes its samples.
    ///
    /// - Parameters:
    ///   - sampleRate: 8,000 to 384,000 Hz.
    ///   - channelCount: 1 to 32.
    ///   - frameCount: The number of frames; nil for a source that never ends.
    ///   - pace: How fast samples are delivered.
    ///   - faults: The scripted faults.
    ///   - sample: Returns the sample of a frame and a channel, both counted from 0; full scale is ±1. Called on the
    ///     source's own thread.
    /// - Throws: `audioFormatCreationFailed` for a sample rate or channel count out of range.
    public init(
        sampleRate: Double, channelCount: UInt32, frameCount: Int? = nil, pace: Pace = .asFastAsPossible,
        faults: [Fault] = [], sample: @escaping @Sendable (_ frame: Int, _ channel: Int) -> Float
    ) throws(ACCAudioRecorderError) {
        let spec = try Self.spec(.float32LE, sampleRate: sampleRate, channelCount: channelCount)
        self.init(spec, frameCount: frameCount, pace: pace, faults: faults) { frames, buffer in
            guard var next = buffer.assumingMemoryBound(to: Float.self).baseAddress else { return }
            for frame in frames {
                for channel in 0..<spec.channels {
                    next.pointee = sample(frame, channel)
                    next += 1
                }
            }
        }
    }

    /// Creates a source of floating-point samples.
    ///
    /// - Parameters:
    ///   - samples: Interleaved, whole frames; full scale is ±1. An incomplete last frame is ignored.
    ///   - sampleRate: 8,000 to 384,000 Hz.
    ///   - channelCount: 1 to 32.
    ///   - pace: How fast samples are delivered.
    ///   - faults: The scripted faults.
    /// - Throws: `audioFormatCreationFailed` for a sample rate or channel count out of range.
    public init(
        samples: [Float], sampleRate: Double, channelCount: UInt32, pace: Pace = .asFastAsPossible, faults: [Fault] = []
    ) throws(ACCAudioRecorderError) {
        try self.init(
            .float32LE, array: samples, sampleRate: sampleRate, channelCount: channelCount, pace: pace, faults: faults)
    }

    /// Creates a source of 16-bit samples, which outputs of 16 bits or more copy bit for bit.
    ///
    /// - Parameters:
    ///   - samples: Interleaved, whole frames. An incomplete last frame is ignored.
    ///   - sampleRate: 8,000 to 384,000 Hz.
    ///   - channelCount: 1 to 32.
    ///   - pace: How fast samples are delivered.
    ///   - faults: The scripted faults.
    /// - Throws: `audioFormatCreationFailed` for a sample rate or channel count out of range.
    public init(
        samples: [Int16], sampleRate: Double, channelCount: UInt32, pace: Pace = .asFastAsPossible, faults: [Fault] = []
    ) throws(ACCAudioRecorderError) {
        try self.init(
            .s16LE, array: samples.map { $0.littleEndian }, sampleRate: sampleRate, channelCount: channelCount,
            pace: pace, faults: faults)
    }

    private init<Sample: BitwiseCopyable & Sendable>(
        _ format: SampleFormat, array: [Sample], sampleRate: Double, channelCount: UInt32, pace: Pace, faults: [Fault]
    ) throws(ACCAudioRecorderError) {
        let spec = try Self.spec(format, sampleRate: sampleRate, channelCount: channelCount)
        self.init(spec, frameCount: array.count / spec.channels, pace: pace, faults: faults) { frames, buffer in
            array.withUnsafeBytes { bytes in
                let range = frames.lowerBound * spec.bytesPerFrame..<frames.upperBound * spec.bytesPerFrame
                buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[range]))
            }
        }
    }

    private init(
        _ spec: SampleSpec, frameCount: Int?, pace: Pace, faults: [Fault],
        read: @escaping @Sendable (Range<Int>, UnsafeMutableRawBufferPointer) -> Void
    ) {
        source = AudioSource(name: "synthetic", sampleSpec: spec)
        self.frameCount = frameCount
        self.pace = pace
        self.faults = faults.sorted { $0.frame < $1.frame }
        self.read = read
    }

    /// The format that a client asks for, which it checks.
    static func spec(
        _ format: SampleFormat, sampleRate: Double, channelCount: UInt32
    ) throws(ACCAudioRecorderError) -> SampleSpec {
        guard let rate = Int(exactly: sampleRate), StreamFormat.sampleRates.contains(rate),
            StreamFormat.channelCounts.contains(Int(channelCount))
        else {
            throw .audioFormatCreationFailed(
                .init(
                    .invalidFormat, "cannot make a source of \(channelCount) channels at \(sampleRate.plain) Hz",
                    cause: "it is out of range", remedy: "Choose 1 to 32 channels at 8000 to 384000 Hz."))
        }
        return SampleSpec(format: format, rate: rate, channels: Int(channelCount))
    }

    /// Creates a source of what is pushed.
    init(_ pushed: PushSource) {
        source = AudioSource(name: "pushed", sampleSpec: pushed.spec)
        frameCount = nil
        pace = .asFastAsPossible
        faults = []
        read = { _, _ in }
        self.pushed = pushed
    }
}
