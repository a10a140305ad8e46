import CPulse
import Glibc
import Synchronization

/// The capture of one stretch of a recording, from an opening of the source to its end, on a thread of
/// its own.
///
/// The thread reads the stream, stamps each fragment and puts it into the ring. It takes no lock of ours
/// and allocates nothing. Teardown: `stop`, which wakes a blocked read; the thread then closes the ring,
/// which ends its reader.
final class Capture: Sendable {
    /// Why the capture ended.
    enum End: Sendable, Equatable {
        /// As asked, everything captured until then in the ring.
        case stopped
        /// The stream broke; what had arrived until then is in the ring.
        case failed(PulseFailure)
    }

    /// The first frame that a capture is to deliver.
    enum Start: Sendable {
        /// The first that there is.
        case atOnce
        /// The first captured after this moment: nothing stale that a server may still hold.
        case after(hostTime: UInt64)
        /// None before `begin` is called.
        case whenTold
    }

    /// When a capture that is asked to stop has enough.
    enum Stop: Sendable {
        /// At the first frame captured after this moment, so that nothing before it is missing.
        case after(hostTime: UInt64)
        /// At once: nothing more is wanted.
        case now
    }

    /// What is captured.
    let source: AudioSource
    /// Where the fragments are.
    let ring: FragmentRing
    /// Tells which of them are of the source.
    let holdBack: HoldBack

    /// The connection that found the source.
    let control: PulseControl
    /// What the server knows its stream by.
    let streamName: String
    private let streamProperties: [String: String]
    private let readBytes: Int
    /// How much is read before it is asked again whether the server has told of a change.
    private let unaskedBytes: Int
    /// CLOCK_MONOTONIC nanoseconds before which no frame is wanted; `.max` while that is not known.
    private let startTime: Atomic<UInt64>
    /// When the stream was last read from, or opened, in CLOCK_MONOTONIC nanoseconds.
    private let lastReadTime = Atomic<UInt64>(0)
    private let hasDelivered = Atomic<Bool>(false)
    /// CLOCK_MONOTONIC nanoseconds after which no frame is wanted; `.max` while the capture goes on.
    private let stopTime = Atomic<UInt64>(.max)
    private let opened = Promise<PulseFailure?>()
    private let ended = Promise<End>()

    /// How long the capture waits for a slot before it drops a fragment: so many naps of so many microseconds.
    private static let napsForASlot = 500
    private static let nap: UInt32 = 1_000

    private static let recordings = Atomic<Int>(0)

    private init(
        source: AudioSource, streamProperties: [String: String], fragmentFrames: Int, start: Start,
        control: PulseControl
    ) {
        let spec = source.sampleSpec
        let frameBytes = spec.bytesPerFrame
        self.source = source
        self.streamProperties = streamProperties
        self.control = control
        switch start {
        case .atOnce: startTime = Atomic(0)
        case .after(let hostTime): startTime = Atomic(hostTime)
        case .whenTold: startTime = Atomic(.max)
        }
        // Reads of 2 ms: when a blocked read has to be ended, no more than that is lost with it.
        readBytes = max(spec.sampleRate / 500, 1) * frameBytes
        // Every 10 ms: what was read since is left out when the stream is moved.
        unaskedBytes = 5 * readBytes
        ring = FragmentRing(
            slotBytes: fragmentFrames * frameBytes,
            minimumSlots: Self.slots(for: spec, fragmentFrames: fragmentFrames))
        let number = Self.recordings.wrappingAdd(1, ordering: .relaxed).newValue
        streamName = "Recording \(number)"
        holdBack = HoldBack(control: control, streamName: streamName, source: source)
    }

    /// Eight seconds for a slow disk or a busy machine, or what 32 MiB hold, but at least one second.
    private static func slots(for spec: SampleSpec, fragmentFrames: Int) -> Int {
        let wanted = 8 * spec.sampleRate
        let affordable = max(32 << 20 / spec.bytesPerFrame, spec.sampleRate)
        return max(min(wanted, affordable) / fragmentFrames, 4)
    }
}

// MARK: - Opening and stopping

extension Capture {
    /// How long a server has to open a stream.
    private static let openingDeadline = Duration.seconds(5)
    /// How long the source has to deliver what was captured before a stop.
    private static let stoppingGrace = Duration.milliseconds(350)
    /// How long the server has to end a read that is blocked.
    private static let wakingDeadline = Duration.milliseconds(150)

    /// Begins to open the source with its own format, and then to capture.
    ///
    /// - Parameters:
    ///   - streamProperties: What the server is told of the stream.
    ///   - fragmentFrames: How many the server collects before it delivers them, which is a slot of the ring.
    ///   - control: The connection that found the source.
    static func begin(
        source: AudioSource, streamProperties: [String: String], fragmentFrames: Int, start: Start,
        control: PulseControl
    ) throws(ACCAudioRecorderError) -> Capture {
        let capture = Capture(
            source: source, streamProperties: streamProperties, fragmentFrames: fragmentFrames, start: start,
            control: control)
        try DetachedThread.start("capture") { capture.run() }
        return capture
    }

    /// Waits until the source is open.
    func waitUntilOpen() async throws(ACCAudioRecorderError) {
        let watchdog = Task {
            // A deadline, which is called off as soon as the stream is open.
            try await Task.sleep(for: Self.openingDeadline)
            opened.fulfil(PulseFailure(PA_ERR_TIMEOUT))
        }
        defer { watchdog.cancel() }
        if let failure = await opened.value {
            throw .audioEngineStartFailed(.init("cannot open the source '\(source.name)'", failure))
        }
    }

    /// Tells a capture that waits for it to deliver what is captured from now on.
    func begin() {
        startTime.store(MonotonicClock.now(), ordering: .relaxed)
    }

    /// Whether the capture goes on, and from the source that it was opened on.
    var isOnItsSource: Bool {
        get async { await stream?.sourceIndex == source.id }
    }

    /// The stream as the server has it; nil where there is none any more, or the server does not answer.
    var stream: SourceOutput? {
        get async {
            let streams = try? await control.sourceOutputs(ofStream: streamName)
            return streams?.count == 1 ? streams?.first : nil
        }
    }

    /// Ends the capture and waits for its end. A read that stays blocked (on a suspended source, say) is
    /// ended through the control connection.
    func stop(_ stop: Stop) async {
        holdBack.noteEnding()
        let grace: Duration
        switch stop {
        case .after(let hostTime):
            stopTime.store(hostTime, ordering: .relaxed)
            grace = Self.stoppingGrace
        case .now:
            stopTime.store(0, ordering: .relaxed)
            grace = .zero
        }
        let watchdog = Task {
            // Deadlines, which are called off as soon as the capture has ended: nobody can tell of a read that stays blocked.
            try await Task.sleep(for: grace)
            let waking = Task { await wakeBlockedRead() }
            defer { waking.cancel() }
            try await Task.sleep(for: Self.wakingDeadline)
            abandon()
        }
        _ = await ended.value
        watchdog.cancel()
    }

    /// How long the source has delivered nothing.
    var quietTime: Duration {
        let last = lastReadTime.load(ordering: .relaxed)
        return last == 0 ? .zero : .nanoseconds(Int64(MonotonicClock.now() - last))
    }

    /// Whether the source has delivered anything.
    var hasBegun: Bool { hasDelivered.load(ordering: .relaxed) }

    /// Why the capture ended, as soon as it has.
    var end: End {
        get async { await ended.value }
    }

    private func wakeBlockedRead() async {
        do {
            for stream in try await control.sourceOutputs(ofStream: streamName) {
                try await control.killSourceOutput(stream.index)
            }
        } catch {
            abandon()
        }
    }

    /// The server answers nothing any more, so the thread may stay in its read. It is left there: what it has
    /// delivered is in the ring, and nobody waits for it.
    private func abandon() {
        ring.close()
        ended.fulfil(.stopped)
    }
}

// MARK: - The capture thread

extension Capture {
    private func run() {
        let (end, framesLost) = capture()
        ring.close(framesLost: framesLost)
        ended.fulfil(end)
    }

    private func capture() -> (end: End, framesLost: Int) {
        do {
            let stream = try CaptureStream(
                source: source, serverName: control.serverName, streamName: streamName, properties: streamProperties,
                fragmentBytes: ring.slotBytes)
            lastReadTime.store(MonotonicClock.now(), ordering: .relaxed)
            guard opened.fulfil(nil) else { return (.stopped, 0) }
            return captureFragments(of: stream)
        } catch {
            opened.fulfil(error)
            return (.failed(error), 0)
        }
    }

    /// - Returns: Why the capture ended, and how many frames were dropped just before.
    private func captureFragments(of stream: borrowing CaptureStream) -> (end: End, framesLost: Int) {
        let overflow = UnsafeMutableRawBufferPointer.allocate(byteCount: ring.slotBytes, alignment: 64)
        defer { overflow.deallocate() }
        let frameBytes = source.sampleSpec.bytesPerFrame
        var framesLost = 0
        /// How often the server had told of a change when the last fragment had been read.
        var changeCount: Int?
        if let end = skipUntilStart(of: stream, into: overflow) { return (end, 0) }

        var bytesLeft = ring.slotBytes
        while true {
            let slot = freeSlot()
            let fragment = UnsafeMutableRawBufferPointer(rebasing: (slot ?? overflow)[..<bytesLeft])
            let (byteCount, unchangedByteCount, end) = fill(fragment, from: stream, since: changeCount)
            // The rest of a fragment is one of its own, so that those after it end where the server's do.
            bytesLeft = byteCount < bytesLeft ? bytesLeft - byteCount : ring.slotBytes
            lastReadTime.store(MonotonicClock.now(), ordering: .relaxed)
            hasDelivered.store(true, ordering: .relaxed)
            if slot == nil {
                framesLost += byteCount / frameBytes
            } else if byteCount > 0 {
                var stamp = stamp(byteCount: byteCount, framesLostBefore: framesLost, stream: stream)
                (stamp.changeCountBefore, stamp.unchangedByteCount) = (changeCount, unchangedByteCount)
                // After a change at the server the stream may be elsewhere.
                ring.commit(stamp, isUrgent: stamp.changeCount == nil || stamp.changeCount != changeCount)
                changeCount = stamp.changeCount
                framesLost = 0
            }
            if let end { return (end, framesLost) }
        }
    }

    /// The next free slot, for which the server can be left waiting a while: it keeps what is not read yet. Nil where
    /// the engine is stuck.
    private func freeSlot() -> UnsafeMutableRawBufferPointer? {
        for _ in 0..<Self.napsForASlot {
            if let slot = ring.nextFreeSlot() { return slot }
            // Not a wait for a signal, which would take a lock on this thread.
            usleep(Self.nap)
        }
        return ring.nextFreeSlot()
    }

    /// Reads and drops what comes before the first frame that is wanted.
    private func skipUntilStart(
        of stream: borrowing CaptureStream, into dropped: UnsafeMutableRawBufferPointer
    ) -> End? {
        let step = UnsafeMutableRawBufferPointer(rebasing: dropped[..<min(readBytes, dropped.count)])
        while true {
            let startTime = startTime.load(ordering: .relaxed)
            if startTime != .max, hasPassed(startTime, stream: stream) { return nil }
            if let end = fill(step, from: stream, since: nil).end { return end }
            lastReadTime.store(MonotonicClock.now(), ordering: .relaxed)
            hasDelivered.store(true, ordering: .relaxed)
        }
    }

    /// Reads a fragment, or as much of it as there is before the capture ends or the server tells of a change.
    ///
    /// - Parameter changeCount: How often the server had told of a change by the call; nil where that is not to be asked.
    /// - Returns: How much was read, how much of that while the server had told of no change since, and whether the capture
    ///   has ended.
    private func fill(
        _ fragment: UnsafeMutableRawBufferPointer, from stream: borrowing CaptureStream, since changeCount: Int?
    ) -> (byteCount: Int, unchangedByteCount: Int, end: End?) {
        var filled = 0
        var unchanged = 0
        while filled < fragment.count {
            let part = UnsafeMutableRawBufferPointer(
                rebasing: fragment[filled..<min(filled + readBytes, fragment.count)])
            do {
                try stream.read(into: part)
            } catch {
                let asAsked = stopTime.load(ordering: .relaxed) != .max && error.code == PA_ERR_KILLED
                return (filled, unchanged, asAsked ? .stopped : .failed(error))
            }
            filled += part.count
            let stopTime = stopTime.load(ordering: .relaxed)
            if stopTime != .max, hasPassed(stopTime, stream: stream) { return (filled, unchanged, .stopped) }
            if changeCount != nil, filled - unchanged >= unaskedBytes {
                guard control.changeCount == changeCount else { return (filled, unchanged, nil) }
                unchanged = filled
            }
        }
        return (filled, unchanged, nil)
    }

    /// Whether the next frame of the stream was captured after the given time.
    private func hasPassed(_ time: UInt64, stream: borrowing CaptureStream) -> Bool {
        if time == 0 { return true }
        let latency = stream.latency()
        let now = MonotonicClock.now()
        return now - min(latency, now) >= time
    }

    private func stamp(
        byteCount: Int, framesLostBefore: Int, stream: borrowing CaptureStream
    ) -> FragmentRing.Stamp {
        let spec = source.sampleSpec
        let frames = UInt64(byteCount / spec.bytesPerFrame)
        let age = stream.latency() + frames * 1_000_000_000 / UInt64(spec.sampleRate)
        let now = MonotonicClock.now()
        return FragmentRing.Stamp(
            byteCount: byteCount, hostTime: now - min(age, now), arrivalTime: now,
            timeAsleep: MonotonicClock.timeAsleep(), framesLostBefore: framesLostBefore,
            changeCount: control.changeCount)
    }
}
