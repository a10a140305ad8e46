import Glibc

@testable import ACCAudioRecorder

/// A recording of noise by the product's own ring, engine and outputs, with no server: as fast as the machine can.
public struct SyntheticRecording: Sendable {
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
        let ring = try ring(slotCount: fragmentCount)
        fill(ring) { _ in }
        return try recording(from: ring)
    }

    /// The same, but for the frames: another thread puts them into the ring when they are due.
    ///
    /// - Parameter slotCount: The slots of the ring. The engine waits for a quarter of them to be filled at most, so with less than
    ///   eight it is woken for each fragment.
    public func prepareLive(slotCount: Int) throws -> PreparedRecording {
        let ring = try ring(slotCount: slotCount)
        let recording = try recording(from: ring)
        let start = MonotonicClock.now()
        try DetachedThread.start("capture") { [self] in
            fill(ring) { fragment in Self.wait(until: start + UInt64(fragment + 1) * Self.fragmentLength) }
        }
        return recording
    }

    private func recording(from ring: CaptureRing) throws -> PreparedRecording {
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
        return PreparedRecording(engine: engine, ring: ring, source: source)
    }

    /// In nanoseconds.
    private static let fragmentLength: UInt64 = 40_000_000

    private var fragmentFrames: Int { source.sampleSpec.rate / 25 }
    private var fragmentCount: Int { Int(seconds * 25) }

    private func ring(slotCount: Int) throws -> CaptureRing {
        try CaptureRing(slotBytes: fragmentFrames * source.sampleSpec.bytesPerFrame, waitingSlots: slotCount)
    }

    /// Puts the whole recording into a ring, and closes it.
    ///
    /// - Parameter wait: Called with the number of each fragment before that is put there.
    private func fill(_ ring: CaptureRing, wait: (Int) -> Void) {
        let samples = Noise.int16(fragmentFrames * source.sampleSpec.channels)
        samples.withUnsafeBytes { samples in
            for fragment in 0..<fragmentCount {
                wait(fragment)
                while ring.nextFreeSlot() == nil { usleep(1_000) }
                ring.nextFreeSlot()?.copyMemory(from: samples)
                let time = UInt64(fragment + 1) * Self.fragmentLength
                ring.append(
                    FragmentStamp(byteCount: samples.count, hostTime: time, arrivalTime: time + Self.fragmentLength))
            }
        }
        ring.close(.stopped)
    }

    private static func wait(until hostTime: UInt64) {
        var time = timespec(tv_sec: Int(hostTime / 1_000_000_000), tv_nsec: Int(hostTime % 1_000_000_000))
        while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nil) == EINTR {}
    }
}
