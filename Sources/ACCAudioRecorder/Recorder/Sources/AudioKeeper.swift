import Synchronization

/// Removes the audio of a prepared input from its ring, which keeps the newest, until a recording begins with that. May
/// listen for a sound, from which on it leaves everything in the ring.
final class AudioKeeper: Sendable {
    private let task: Promise<Task<Void, Never>> = Promise()
    private let sound = Mutex<PreRoll.Trigger?>(nil)
    /// Fulfilled when there is nothing more to listen to.
    private let ended = Promise<Void>()

    /// How often audio is removed.
    private static let interval = Duration.milliseconds(250)

    /// - Parameter selectedChannels: The channels that will be recorded, counted from 1; empty for all.
    init(_ ring: CaptureRing, of spec: SampleSpec, selectedChannels: [Int], listeningBy activation: SoundActivation?) {
        ring.copyRequests.reopen()
        task.fulfil(
            Task.detached { [self] in
                var detector = activation.map { OnsetDetector($0, to: spec, selectedChannels: selectedChannels) }
                defer { ended.fulfil(()) }
                while !Task.isCancelled {
                    let isClosed = ring.isClosed
                    while trigger == nil, ring.count > 0 {
                        let position = ring.position
                        ring.remove { _, fragment in
                            guard let frame = detector?.frameOfSound(in: fragment) else { return }
                            sound.withLock { $0 = .sound(.init(position: position, frame: frame)) }
                        }
                    }
                    if isClosed { ended.fulfil(()) }
                    ring.serveCopies()
                    try? await Task.sleep(for: Self.interval)
                }
            })
    }

    /// The sound that has begun; nil as long as there is none.
    var trigger: PreRoll.Trigger? { sound.withLock { $0 } }

    /// The sound that had begun when the source was lost; waits until everything from before was heard.
    var lastTrigger: PreRoll.Trigger? {
        get async {
            await ended.value
            return trigger
        }
    }

    /// Returns when the ring may have another consumer.
    func stop() async {
        let task = await task.value
        task.cancel()
        await task.value
    }
}

/// Finds the first sound of a source.
struct OnsetDetector: ~Copyable {
    private var meter: WindowMeter
    private var gate: NoiseGate
    private let bytesPerFrame: Int
    /// The number of frames before the next fragment.
    private var frameCount = 0

    init(_ activation: SoundActivation, to spec: SampleSpec, selectedChannels: [Int]) {
        var activation = activation
        // However long it takes until there is one.
        activation.silenceLimit = nil
        meter = WindowMeter(spec, selectedChannels: selectedChannels, channels: activation.channels)
        gate = NoiseGate(activation, sampleRate: spec.rate)
        bytesPerFrame = spec.bytesPerFrame
    }

    /// The frame of the next fragment with which a sound begins; negative if it begins before, in the window that the
    /// fragment completes. Nil as long as there is none.
    mutating func frameOfSound(in fragment: UnsafeRawBufferPointer) -> Int? {
        let first = frameCount
        let count = fragment.count / bytesPerFrame
        frameCount += count
        for window in meter.measure(0..<count, of: fragment) {
            gate.process(window)
            if !gate.passage.isEmpty { return gate.onset - first }
        }
        return nil
    }
}
