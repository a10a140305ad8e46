/// The capture thread's end of an input: cuts what a stream delivers into fragments, from the requested start to the
/// stop, and appends them to the ring.
///
/// Used by one thread at a time. Takes no lock and allocates nothing.
struct FragmentWriter: ~Copyable {
    /// The result of writing bytes.
    struct Outcome {
        /// How many bytes were consumed: fewer than given only if the ring is full, or at the stop.
        var byteCount: Int
        /// Whether the stop was reached.
        var isComplete = false
    }

    let ring: CaptureRing
    /// Frames captured from this time on are delivered, in CLOCK_MONOTONIC nanoseconds; `.max` while no start is known.
    var startTime: UInt64
    /// Frames captured after this time are not delivered; `.max` as long as the capture continues, and once the frames
    /// until the stop are counted.
    var stopTime = UInt64.max
    /// How many of the next frames precede the stop; nil as long as it is known by its time only.
    private var framesLeft: Int?
    private let bytesPerFrame: Int
    private let sampleRate: Double
    /// The shortest recording that an input delivers, if it delivers anything: 2 ms.
    private var shortestFrames: Int { Int(sampleRate / 500) }
    /// The slot being filled, and the number of bytes in it.
    private var slot: UnsafeMutableRawBufferPointer?
    private var filled = 0
    /// The stamp of the slot, but for its length, as of the latest bytes.
    private var stamp = FragmentStamp()
    private var hasWritten = false
    /// Frames dropped since the last item, because the ring was full.
    private var overrun = 0

    /// - Parameters:
    ///   - fragmentFrames: The length of a fragment in frames.
    ///   - keptLength: The length of audio in seconds that the ring keeps; 0 for none.
    ///   - consumer: Wakes the consumer of the ring.
    /// - Throws: `audioEngineStartFailed`, whose reason is `system`, if there is not enough memory, or more than
    ///   `mostKeptBytes` are to be kept.
    init(
        _ spec: SampleSpec, fragmentFrames: Int, keptLength: Double = 0, start: CaptureStart,
        consumer: ThreadWaker = ThreadWaker()
    ) throws(ACCAudioRecorderError) {
        bytesPerFrame = spec.bytesPerFrame
        sampleRate = spec.sampleRate
        let keptBytes = Self.keptFrames(of: spec, keptLength) * spec.bytesPerFrame
        do throws(CaptureFailure) {
            guard keptBytes <= Self.mostKeptBytes else {
                throw CaptureFailure(
                    .system,
                    "that takes \(keptBytes >> 20) MiB of memory, and \(Self.mostKeptBytes >> 20) MiB are allowed")
            }
            ring = try CaptureRing(
                slotBytes: fragmentFrames * spec.bytesPerFrame,
                waitingSlots: Self.waitingSlots(for: spec, fragmentFrames: fragmentFrames), keptBytes: keptBytes,
                consumer: consumer)
        } catch {
            guard keptLength > 0 else { throw .audioEngineStartFailed(.init("cannot buffer audio", error)) }
            throw .audioEngineStartFailed(
                .init(
                    error.reason, "cannot keep the latest \(keptLength) s of audio (\(spec))", cause: error.message,
                    remedy: "Choose a shorter pre-roll."))
        }
        switch start {
        case .atOnce: startTime = 0
        case .after(let hostTime): startTime = hostTime
        case .onRequest: startTime = .max
        }
    }

    /// The most audio that is kept. The engine copies all of it at once to save it, while its slots for what waits fill.
    static let mostKeptBytes = 2 << 30

    /// Eight seconds, for a slow disk or a busy machine; limited to 32 MiB, but at least one second.
    private static func waitingSlots(for spec: SampleSpec, fragmentFrames: Int) -> Int {
        let wanted = 8 * spec.rate
        let affordable = max(32 << 20 / spec.bytesPerFrame, spec.rate)
        return max(min(wanted, affordable) / fragmentFrames, 4)
    }

    /// Half a second more than is asked for: a recording may be told late that it has begun, and a fragment is removed
    /// before its frames are recorded.
    private static func keptFrames(of spec: SampleSpec, _ keptLength: Double) -> Int {
        keptLength > 0 ? Int((keptLength + 0.5) * spec.sampleRate) : 0
    }

    /// Whether the capture is to end.
    var isStopping: Bool { stopTime != .max || framesLeft != nil }

    /// Counts the frames until the stop.
    ///
    /// - Parameter hostTime: When the next frame was captured.
    mutating func limitToStop(from hostTime: UInt64) {
        framesLeft = frames(from: hostTime, to: stopTime)
        stopTime = .max
    }

    /// Writes the next bytes of the stream, whole frames.
    ///
    /// - Parameter stamp: When the first of these frames was captured, and when they arrived.
    mutating func write(_ bytes: UnsafeRawBufferPointer, _ stamp: FragmentStamp) -> Outcome {
        let frames = bytes.count / bytesPerFrame
        let first = min(self.frames(from: stamp.hostTime, to: startTime), frames)
        guard first < frames else {
            countDown(frames)
            return Outcome(byteCount: bytes.count)
        }
        startTime = 0
        var end = min(framesLeft ?? self.frames(from: stamp.hostTime, to: stopTime), frames)
        // A recording that is stopped right after it was opened still gets a few frames.
        if !hasWritten { end = max(end, min(shortestFrames, frames)) }
        hasWritten = true
        var position = first * bytesPerFrame
        while position < end * bytesPerFrame {
            guard let slot = claimSlot() else {
                countDown(position / bytesPerFrame)
                return Outcome(byteCount: position)
            }
            let count = min(end * bytesPerFrame - position, slot.count - filled)
            slot.baseAddress?.advanced(by: filled).copyMemory(
                from: bytes.baseAddress!.advanced(by: position), byteCount: count)
            filled += count
            position += count
            // The times of the first and the last frame in the slot, computed from those of these bytes: frames in the
            // middle of a block were waiting for its end.
            self.stamp = stamp
            self.stamp.hostTime = time(stamp.hostTime, after: (position - filled) / bytesPerFrame)
            self.stamp.arrivalTime = time(stamp.arrivalTime, after: position / bytesPerFrame - frames)
            if filled == slot.count { flush() }
        }
        countDown(end)
        return Outcome(byteCount: position, isComplete: end < frames)
    }

    private mutating func countDown(_ frames: Int) {
        framesLeft = framesLeft.map { max($0 - frames, 0) }
    }

    /// Whether a number of bytes certainly fits into the ring.
    func hasRoom(for byteCount: Int) -> Bool { ring.leastFreeSlots * ring.slotBytes >= byteCount + ring.slotBytes }

    /// The number of frames that complete the current fragment.
    var framesInSlot: Int { (ring.slotBytes - filled) / bytesPerFrame }

    /// Hands over what has been captured, even if it is not a whole fragment.
    mutating func flush() {
        guard slot != nil, filled > 0 else { return }
        stamp.byteCount = filled
        ring.append(stamp)
        slot = nil
        filled = 0
    }

    /// Appends a hole for frames that the server reports as dropped, as far as they precede the stop.
    ///
    /// - Parameter hostTime: When the first of them was captured.
    mutating func skip(byteCount: Int, at hostTime: UInt64) {
        guard startTime == 0 else { return }
        let frames = min(byteCount / bytesPerFrame, framesLeft ?? self.frames(from: hostTime, to: stopTime))
        countDown(frames)
        if frames > 0 { append(.hole(frames: frames, .dropped)) }
    }

    /// Counts frames that are dropped because the ring is full, as far as they precede the stop.
    mutating func drop(byteCount: Int) {
        let frames = min(byteCount / bytesPerFrame, framesLeft ?? .max)
        overrun += frames
        countDown(frames)
    }

    /// Appends an item other than a fragment. If the ring is full, a hole is counted as frames that were dropped for that;
    /// another item is lost, and the frames and the time around it show what it would tell.
    mutating func append(_ item: CaptureItem) {
        flush()
        if appendOverrun(), ring.append(item) { return }
        if case .hole(let frames, _) = item { overrun += frames }
    }

    /// Hands over the rest and closes the ring.
    mutating func close(_ end: CaptureEnd) {
        flush()
        _ = appendOverrun()
        ring.close(end)
    }

    /// Claims the next free slot. Nothing else is appended between this and the slot's own stamp, so it stays the next
    /// free slot.
    private mutating func claimSlot() -> UnsafeMutableRawBufferPointer? {
        if slot == nil, mayContinue, appendOverrun() { slot = ring.nextFreeSlot() }
        return slot
    }

    /// Whether there is a slot; after an overrun only once a quarter of them is free. An engine that is slower than real
    /// time then gets long pieces of sound with a long hole between them, instead of a hole after each fragment.
    private var mayContinue: Bool {
        overrun > 0 && !isStopping ? ring.leastFreeSlots >= max(ring.slotCount / 4, 1) : ring.nextFreeSlot() != nil
    }

    private mutating func appendOverrun() -> Bool {
        guard overrun > 0 else { return true }
        guard ring.append(.hole(frames: overrun, .overrun)) else { return false }
        overrun = 0
        return true
    }

    /// A time in CLOCK_MONOTONIC nanoseconds, moved by a number of frames; earlier if it is negative.
    private func time(_ time: UInt64, after frames: Int) -> UInt64 {
        UInt64(max(Int64(clamping: time) + Int64(Double(frames) / sampleRate * 1e9), 0))
    }

    /// The number of frames between two times; 0 if the second is earlier, `.max` if the number is too large.
    private func frames(from start: UInt64, to end: UInt64) -> Int {
        guard end > start else { return 0 }
        let frames = (Double(end - start) * 1e-9 * sampleRate).rounded(.up)
        return frames < 0x1p62 ? Int(frames) : .max
    }
}
