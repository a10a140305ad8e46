/// Keeps the newest audio of an input in its ring and drops what is older, until a recording begins with it.
struct AudioKeeper: Sendable {
    private let task: Task<Void, Never>

    /// How often older audio is dropped.
    private static let interval = Duration.milliseconds(250)
    /// More than is asked for, because a recording may be told late that it has begun, in seconds.
    private static let margin = 0.5

    /// - Parameter seconds: The length of audio to keep.
    init(_ ring: CaptureRing, of spec: SampleSpec, seconds: Double) {
        let byteCount = Int((seconds + Self.margin) * Double(spec.sampleRate)) * spec.bytesPerFrame
        task = Task.detached {
            while !Task.isCancelled {
                ring.removeItems(keeping: byteCount)
                try? await Task.sleep(for: Self.interval)
            }
        }
    }

    /// Returns when the ring may have another consumer.
    func stop() async {
        task.cancel()
        await task.value
    }
}
