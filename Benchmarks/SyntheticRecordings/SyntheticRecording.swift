@testable import ACCAudioRecorder

/// A recording of noise by the product's own ring, engine and outputs, with no server: as fast as the machine can.
public struct SyntheticRecording {
    /// What is recorded: 16-bit samples of this rate and channel count.
    public let source: AudioSource
    /// How long it is, in seconds.
    public let seconds: Double
    private let configuration: ACCAudioRecorder.Configuration
    private let outputs: [RecordingOutput]

    /// - Parameters:
    ///   - outputs: Where it goes, in the source's form or in that which they name. No more than they may be behind is
    ///     recorded: a minute, and 256 MiB.
    ///   - configuration: Of the recording; by default its form is the source's.
    public init(
        sampleRate: Int, channelCount: Int, seconds: Double, to outputs: [RecordingOutput],
        configuration: ACCAudioRecorder.Configuration? = nil
    ) {
        source = AudioSource(
            name: "noise", sampleSpec: SampleSpec(format: .s16LE, rate: sampleRate, channels: channelCount))
        self.seconds = seconds
        self.outputs = outputs
        self.configuration =
            configuration
            ?? ACCAudioRecorder.Configuration(sampleRate: Double(sampleRate), channelCount: UInt32(channelCount))
    }

    /// Everything that comes before the first frame: outputs, engine, and all frames in the ring.
    public func prepare() throws -> PreparedRecording {
        let broadcast = RecordingBroadcast()
        let writers = try outputs.map { output in
            try OutputWriter(
                configuration.resolve(output, from: source.form, of: source), for: source,
                configuration: configuration, broadcast: broadcast)
        }
        let engine = RecordingEngine(
            RecordingEngine.Settings(configuration), form: configuration.form(from: source.form),
            writers: writers,
            broadcast: broadcast, warnings: RecordingWarnings(broadcast: broadcast))
        return PreparedRecording(engine: engine, ring: try filledRing(), source: source)
    }

    /// A ring that holds the whole recording, in fragments of 40 ms, and is closed.
    private func filledRing() throws -> CaptureRing {
        let spec = source.sampleSpec
        let fragmentFrames = spec.rate / 25
        let fragmentCount = Int(seconds * 25)
        let ring = try CaptureRing(slotBytes: fragmentFrames * spec.bytesPerFrame, waitingSlots: fragmentCount)
        let samples = Noise.int16(fragmentFrames * spec.channels)
        samples.withUnsafeBytes { samples in
            for fragment in 0..<fragmentCount {
                ring.nextFreeSlot()?.copyMemory(from: samples)
                let time = UInt64(fragment + 1) * 40_000_000
                ring.append(FragmentStamp(byteCount: samples.count, hostTime: time, arrivalTime: time + 40_000_000))
            }
        }
        ring.close(.stopped)
        return ring
    }
}
