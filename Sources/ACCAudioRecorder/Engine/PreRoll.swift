/// Audio from before a recording was started, with which it begins: what its ring holds by then.
struct PreRoll: Sendable {
    /// Its length in seconds, if there is as much.
    let seconds: Double
    /// When the recording was started, in CLOCK_MONOTONIC nanoseconds.
    let trigger: UInt64

    /// The beginning of a recording in its ring.
    struct Beginning: Equatable {
        /// The number of frames in the ring before the first of the recording.
        var skipped = 0
        /// The number of frames of the recording before the one that was captured at the trigger.
        var kept = 0
    }

    /// The beginning of a recording whose first frames are in this ring.
    func beginning(in ring: CaptureRing, _ spec: SampleSpec) -> Beginning {
        let stamps = (0..<ring.count).map { ring.item($0).stamp }
        let present = stamps.reduce(0) { $0 + ($1?.byteCount ?? 0) / spec.bytesPerFrame }
        // A source that is suspended, say, delivers nothing up to the trigger.
        guard let last = stamps.last ?? nil else { return beginning(before: present, spec) }
        let lastFrames = last.byteCount / spec.bytesPerFrame
        let sinceLast = Double(Int64(bitPattern: trigger &- last.hostTime)) * 1e-9 * Double(spec.sampleRate)
        // By the newest stamp, because that of the trigger's frame has not arrived yet; but a stalled source does not go
        // on.
        let toCome = min(sinceLast.rounded(.up), Double(lastFrames + spec.sampleRate))
        return beginning(before: max(present - lastFrames + Int(toCome), 0), spec)
    }

    private func beginning(before triggerFrame: Int, _ spec: SampleSpec) -> Beginning {
        let kept = min(triggerFrame, Int((seconds * Double(spec.sampleRate)).rounded()))
        return Beginning(skipped: triggerFrame - kept, kept: kept)
    }

    /// When the first frame of the recording was captured, roughly, in CLOCK_MONOTONIC nanoseconds.
    func startTime(in ring: CaptureRing) -> UInt64 {
        let earliest = trigger - min(UInt64(seconds * 1e9), trigger)
        let first = (0..<ring.count).lazy.compactMap { ring.item($0).stamp }.first
        return first.map { max($0.hostTime, earliest) } ?? trigger
    }
}
