import Synchronization

/// What is captured of a stream that an application plays: writes its sound into the ring, and says when it pauses.
///
/// Used by one thread at a time, but for `isExpected`.
final class PlaybackCapture {
    let ring: CaptureRing
    private let spec: SampleSpec
    private let group: PlaybackGroup
    var writer: FragmentWriter
    private var isClosed = false
    var pauses: PlaybackPauses {
        didSet {
            guard pauses.state != oldValue.state else { return }
            let isWaiting = pauses.state == .waiting
            expected.store(isWaiting, ordering: .relaxed)
            // The other streams are held back for this one from now on, so that its first frames are not late.
            if isWaiting { group.consumer.wake() }
        }
    }
    private let expected = Atomic<Bool>(true)
    /// How many frames of silence were not captured before the first sound.
    private var silentFrames = 0
    /// How many frames the server had rendered before the record stream was opened, as long as that was not told.
    private var renderedFrames = 0
    /// A sink that renders no farther ahead loses nothing that is worth telling, in seconds.
    private static let shortestLead = 0.1

    init(
        _ playback: ApplicationStream, as spec: SampleSpec, _ group: PlaybackGroup, fragmentFrames: Int,
        start: CaptureStart
    ) throws(ACCAudioRecorderError) {
        self.spec = spec
        self.group = group
        pauses = PlaybackPauses(isPaused: playback.isPaused)
        writer = try FragmentWriter(spec, fragmentFrames: fragmentFrames, start: start, consumer: group.consumer)
        ring = writer.ring
    }

    /// Whether sound is about to come, as far as is known. May be called on any thread.
    var isExpected: Bool { expected.load(ordering: .relaxed) }

    /// Closes the ring.
    func close(_ end: CaptureEnd) {
        isClosed = true
        writer.close(end)
    }
}

// MARK: - Pauses

extension PlaybackCapture {
    /// Says that nothing is delivered any more, and why, if that is so.
    func reportQuiet() {
        report(pauses.quietToReport())
    }

    /// What is delivered next was played after a pause.
    func interruptForPause() {
        report(pauses.interrupt())
        pauses.wait()
    }

    private func report(_ cause: SuspensionCause?) {
        if let cause, !isClosed { writer.append(.suspended(cause)) }
    }
}

// MARK: - What arrives

extension PlaybackCapture {
    /// Notes what is missing before the first frame that arrives.
    ///
    /// Where nobody asks for less, a null sink of PulseAudio renders the two seconds that a player has in its buffer as soon as it
    /// begins, before a record stream can be opened, and renders nothing again until they are heard. A sink that plays to a device
    /// renders again what was not heard, so that nothing is missing.
    ///
    /// - Parameters:
    ///   - time: When that frame was rendered, in CLOCK_MONOTONIC nanoseconds.
    ///   - announceTime: When the playback stream was announced.
    ///   - lead: How far the sink had rendered ahead when the record stream was opened, in seconds.
    func noteBeginning(at time: UInt64, announcedAt announceTime: UInt64, lead: Double) {
        let begin = max(announceTime, writer.startTime)
        guard lead > Self.shortestLead, time > begin else { return }
        let missing = min(Double(time - begin) * 1e-9, lead)
        if missing > Self.shortestLead { renderedFrames = Int(missing * spec.sampleRate) }
    }

    /// Notes that the server has lost frames.
    func skip(byteCount: Int, at hostTime: UInt64) {
        // Between two pauses, nothing is missing.
        if pauses.state == .delivering { writer.skip(byteCount: byteCount, at: hostTime) }
    }

    /// Captures bytes.
    ///
    /// - Parameter nextPause: How many of the bytes were played before the next pause within them.
    /// - Returns: Whether the stop is reached.
    func capture(_ bytes: UnsafeRawBufferPointer, _ stamp: FragmentStamp, nextPause: () -> Int?) -> Bool {
        // Before the start.
        guard writer.startTime != .max else { return false }
        var (position, stamp) = (0, stamp)
        var isFirst = true
        while let pause = nextPause() {
            // What follows was played after the pause.
            pauses.passPause()
            let isEarlier = isFirst && pauses.mayBeEarlier
            isFirst = false
            let frames = (pause - position) / spec.bytesPerFrame
            let length = spec.nanoseconds(frames)
            var partStamp = stamp
            partStamp.hostTime = min(stamp.hostTime, max(pauses.pauseTime, length) - length)
            let part = UnsafeRawBufferPointer(rebasing: bytes[position..<pause])
            if append(part, partStamp, isEarlier: isEarlier) { return true }
            if !isEarlier { interruptForPause() }
            (position, stamp) = (pause, stamp.later(by: frames, in: spec))
        }
        return append(UnsafeRawBufferPointer(rebasing: bytes[position...]), stamp)
    }

    /// - Parameter isEarlier: Whether the bytes were played before the pause that was reported.
    /// - Returns: Whether the stop is reached.
    private func append(
        _ bytes: UnsafeRawBufferPointer, _ stamp: FragmentStamp, isEarlier: Bool = false
    ) -> Bool {
        let sounding = soundingPart(of: bytes)
        guard !sounding.isEmpty else {
            recordSilence(bytes)
            return false
        }
        let bytesPerFrame = spec.bytesPerFrame
        if pauses.deliver() {
            writer.append(.resumed(earlierFrames: isEarlier ? sounding.count / bytesPerFrame : 0))
        }
        group.hasSounded = true
        if renderedFrames > 0 {
            writer.append(.partMissing(frames: renderedFrames, end: 0))
            renderedFrames = 0
        }
        let outcome = writer.write(
            UnsafeRawBufferPointer(rebasing: sounding),
            stamp.later(by: sounding.startIndex / bytesPerFrame, in: spec))
        if !outcome.isComplete, outcome.byteCount < sounding.count {
            writer.drop(byteCount: sounding.count - outcome.byteCount)
        }
        return outcome.isComplete
    }

    /// What is captured of the bytes: all, except for silence before the first sound and while the stream is paused.
    private func soundingPart(of bytes: UnsafeRawBufferPointer) -> Slice<UnsafeRawBufferPointer> {
        let isPaused = pauses.isSilenceOfPause
        let isCaptured = group.hasSounded && !isPaused
        guard !isCaptured, let first = bytes.firstIndex(where: { $0 != 0 }) else {
            return isCaptured ? bytes[...] : bytes[..<0]
        }
        let bytesPerFrame = spec.bytesPerFrame
        let last = isPaused ? bytes.lastIndex { $0 != 0 } ?? first : bytes.count - 1
        return bytes[first / bytesPerFrame * bytesPerFrame..<(last / bytesPerFrame + 1) * bytesPerFrame]
    }

    /// Says that the recording waits if the application plays, but only silence.
    private func recordSilence(_ bytes: UnsafeRawBufferPointer) {
        guard !group.hasSounded, pauses.quietCause == nil else { return }
        silentFrames += bytes.count / spec.bytesPerFrame
        if silentFrames > spec.rate / 2 { report(pauses.toReport(.applicationAbsent)) }
    }
}

extension FragmentStamp {
    /// The stamp of the same fragment without its first frames.
    fileprivate func later(by frames: Int, in spec: SampleSpec) -> FragmentStamp {
        var stamp = self
        stamp.hostTime += spec.nanoseconds(frames)
        return stamp
    }
}
