import Glibc
import Synchronization

/// An input whose thread delivers the samples of a synthetic source.
///
/// `@unchecked Sendable`: `writer` belongs to the thread; everything else is constant, atomic, or safe for any thread.
final class SyntheticInput: CaptureInput, @unchecked Sendable {
    let source: AudioSource
    let ring: CaptureRing
    private let backend: SyntheticBackend
    private let connection: SyntheticConnection
    private var writer: FragmentWriter
    private let startTime: Atomic<UInt64>
    private let stopTime = Atomic<UInt64>(.max)
    /// Whether the input ends after the last sample.
    private let isFinished = Atomic<Bool>(false)
    private let ended = Promise<CaptureEnd>()

    private static let fragmentsPerSecondOfClock = 100
    /// How long the thread sleeps, in microseconds, before it checks again for room in the ring or a stop.
    private static let pollInterval: UInt32 = 200
    /// How long the thread waits for a test's clock before it says that there is nothing to deliver, in nanoseconds.
    private static let longestSilence = CaptureRing.idleTime / 4

    private init(
        _ backend: SyntheticBackend, _ connection: SyntheticConnection, _ source: AudioSource,
        settings: CaptureSettings, start: CaptureStart
    ) throws(ACCAudioRecorderError) {
        self.backend = backend
        self.connection = connection
        self.source = source
        let isByClock = if case .clock = backend.synthetic.pace { true } else { false }
        var start = start
        switch start {
        // The frames of an unpaced source are not captured at the times they state, so none are dropped for being older
        // than the start.
        case .after where backend.synthetic.pace == .asFastAsPossible: start = .atOnce
        case .after: start = .after(hostTime: backend.latestPast())
        // What a test's clock has passed before is not captured.
        case .atOnce where isByClock: start = .after(hostTime: backend.latestPast())
        case .atOnce, .onRequest: break
        }
        // Short fragments arrive close to the times of a test's clock.
        let longest = isByClock ? source.sampleSpec.rate / Self.fragmentsPerSecondOfClock : .max
        writer = try FragmentWriter(
            source.sampleSpec, fragmentFrames: min(settings.fragmentFrames, longest), keptLength: settings.keptLength,
            start: start)
        startTime = Atomic(writer.startTime)
        ring = writer.ring
    }

    static func open(
        _ backend: SyntheticBackend, _ connection: SyntheticConnection, _ source: AudioSource,
        _ settings: CaptureSettings, start: CaptureStart
    ) throws(ACCAudioRecorderError) -> SyntheticInput {
        let input = try SyntheticInput(backend, connection, source, settings: settings, start: start)
        try DetachedThread.start("capture") { input.run() }
        return input
    }

    var isOpen: Bool { !ended.isFulfilled }

    var streamIndex: UInt32? { get async { nil } }

    func waitUntilOpen() async throws(ACCAudioRecorderError) {}

    func begin() {
        startTime.store(backend.synthetic.pace == .asFastAsPossible ? 0 : backend.latestPast(), ordering: .relaxed)
    }

    func stop(_ stop: CaptureStop) async {
        switch stop {
        case .now: stopTime.store(0, ordering: .relaxed)
        case .after(let hostTime):
            switch backend.synthetic.pace {
            case .realTime: stopTime.store(hostTime, ordering: .relaxed)
            case .clock: stopTime.store(backend.latestPast(), ordering: .relaxed)
            // Stop times mean nothing for an unpaced source. A finite one is delivered to its end, and so is what was pushed;
            // one that never ends stops at once.
            case .asFastAsPossible where backend.synthetic.frameCount == nil && backend.synthetic.pushed == nil:
                stopTime.store(0, ordering: .relaxed)
            case .asFastAsPossible: break
            }
            isFinished.store(true, ordering: .relaxed)
        }
        backend.synthetic.pushed?.wake()
        _ = await ended.value
    }
}

// MARK: - The thread

extension SyntheticInput {
    private func run() {
        let fragment = UnsafeMutableRawBufferPointer.allocate(byteCount: ring.slotBytes, alignment: 64)
        defer { fragment.deallocate() }
        // An unpaced source that has not begun yet must not be used up.
        while backend.synthetic.pace == .asFastAsPossible, startTime.load(ordering: .relaxed) == .max,
            stopTime.load(ordering: .relaxed) == .max
        {
            usleep(Self.pollInterval)
        }
        while true {
            var progress = backend.progress.withLock { $0 }
            let end =
                if let fault = nextFault(progress), fault.frame <= progress.frame {
                    fail(by: fault, &progress)
                } else {
                    deliver(fragment, &progress)
                }
            if let end {
                backend.progress.withLock { $0 = progress }
                writer.close(end)
                ended.fulfil(end)
                return
            }
            backend.progress.withLock { $0 = progress }
        }
    }

    /// The next fault; nil if there is none any more.
    private func nextFault(_ progress: SyntheticBackend.Progress) -> SyntheticSource.Fault? {
        let faults = backend.synthetic.faults
        return progress.faultCount < faults.count ? faults[progress.faultCount] : nil
    }

    /// Performs the next fault. Its frame is reached.
    ///
    /// - Returns: Why the input ends; nil if it continues.
    private func fail(
        by fault: SyntheticSource.Fault, _ progress: inout SyntheticBackend.Progress
    ) -> CaptureEnd? {
        progress.faultCount += 1
        switch fault.kind {
        case .dropped(let frames):
            writer.skip(byteCount: frames * source.sampleSpec.bytesPerFrame, at: hostTime(ofFrame: progress.frame))
            progress.frame += frames
        case .lost(let frames):
            progress.frame += frames
        case .suspended(let length):
            writer.append(.suspended(.suspended))
            let end = pass(length, &progress)
            while backend.now() < end, !isStopping { usleep(Self.pollInterval) }
            writer.append(.resumed())
        case .removed(let length):
            let end = pass(length, &progress)
            backend.withServer { $0.removedUntil = end }
            return .sourceRemoved
        case .killed:
            return .killed
        case .serverLost(let length):
            let end = pass(length, &progress)
            backend.withServer { $0.lostUntil = end }
            return .serverLost
        case .defaultChanged:
            let other = backend.synthetic.otherSource
            return interrupt(if: backend.isInterrupted.byDefaults, by: .server) { server in
                for index in server.sources.indices { server.sources[index].isDefault = false }
                server.sources.append(other)
            }
        case .call(let length):
            guard backend.isInterrupted.byCalls else { return nil }
            let end = interrupt(if: true, by: .playback(.added, SyntheticBackend.call.index)) {
                $0.callUntil = .max
            }
            let callEnd = pass(length, &progress)
            backend.withServer { $0.callUntil = callEnd }
            return end
        }
        return nil
    }

    /// Lets the source deliver nothing for a time of its clock.
    ///
    /// - Parameter length: The time; nil for ever.
    /// - Returns: When it has passed, in CLOCK_MONOTONIC nanoseconds; 0 for an unpaced source, whose time passes at once,
    ///   and `.max` for never.
    private func pass(_ length: Duration?, _ progress: inout SyntheticBackend.Progress) -> UInt64 {
        progress.frame += frames(in: length?.seconds ?? .infinity)
        guard length != nil else { return .max }
        return backend.synthetic.pace == .asFastAsPossible ? 0 : hostTime(ofFrame: progress.frame)
    }

    /// Changes what the server tells, and reports that.
    ///
    /// - Parameter isInterrupting: Whether the recording reacts by stopping the input, which is waited for.
    /// - Returns: Why the input ends; nil if it continues.
    private func interrupt(
        if isInterrupting: Bool, by change: ServerChange, _ body: (inout sending SyntheticBackend.Server) -> Void
    ) -> CaptureEnd? {
        // A recording that is just starting opens its source before it observes the server.
        while isInterrupting, !connection.isObserved, !isStopping { usleep(Self.pollInterval) }
        backend.withServer(body)
        connection.send(change)
        return isInterrupting ? waitForStop() : nil
    }

    /// Whether the input was asked to stop.
    private var isStopping: Bool {
        stopTime.load(ordering: .relaxed) != .max || isFinished.load(ordering: .relaxed)
    }

    /// Delivers nothing until the input is stopped.
    private func waitForStop() -> CaptureEnd {
        while !isStopping { usleep(Self.pollInterval) }
        return .stopped
    }

    /// Delivers a fragment, or what remains before the next fault or the last frame.
    ///
    /// - Returns: Why the input ends; nil if it continues.
    private func deliver(
        _ fragment: UnsafeMutableRawBufferPointer, _ progress: inout SyntheticBackend.Progress
    ) -> CaptureEnd? {
        let synthetic = backend.synthetic
        let bytesPerFrame = source.sampleSpec.bytesPerFrame
        var end = min(progress.frame + writer.framesInSlot, synthetic.frameCount ?? .max)
        if let fault = nextFault(progress) { end = min(end, fault.frame) }
        guard end > progress.frame else {
            writer.append(.exhausted)
            return waitForStop()
        }
        if let pushed = synthetic.pushed {
            let byteCount = wait(for: pushed, fragment)
            if byteCount == 0 { return .stopped }
            end = progress.frame + byteCount / bytesPerFrame
        }
        let frames = progress.frame..<end
        let part = UnsafeMutableRawBufferPointer(rebasing: fragment[..<(frames.count * bytesPerFrame)])
        synthetic.read(frames, part)
        switch synthetic.pace {
        case .realTime: sleep(until: hostTime(ofFrame: end))
        case .clock: waitForClock(until: hostTime(ofFrame: end))
        case .asFastAsPossible: break
        }

        var bytes = UnsafeRawBufferPointer(part)
        var stamp = FragmentStamp(hostTime: hostTime(ofFrame: frames.lowerBound), arrivalTime: hostTime(ofFrame: end))
        synthetic.restamp?(frames, &stamp)
        while true {
            writer.startTime = min(writer.startTime, startTime.load(ordering: .relaxed))
            writer.stopTime = stopTime.load(ordering: .relaxed)
            if writer.stopTime == 0 { return .stopped }
            let outcome = writer.write(bytes, stamp)
            bytes = UnsafeRawBufferPointer(rebasing: bytes[outcome.byteCount...])
            let earlier = hostTime(ofFrame: progress.frame)
            progress.frame = end - bytes.count / bytesPerFrame
            stamp.hostTime += hostTime(ofFrame: progress.frame) - earlier
            if outcome.isComplete { return .stopped }
            if bytes.isEmpty { return nil }
            // An unpaced source waits for room in the ring.
            usleep(Self.pollInterval)
        }
    }

    private func sleep(until hostTime: UInt64) {
        while MonotonicClock.now() < hostTime, stopTime.load(ordering: .relaxed) == .max {
            usleep(UInt32(min((hostTime - min(MonotonicClock.now(), hostTime)) / 1_000 + 1, 10_000)))
        }
    }

    /// Waits until the test has moved its clock to this time, or the input is stopped.
    private func waitForClock(until hostTime: UInt64) {
        let start = MonotonicClock.now()
        var isExhausted = false
        while backend.now() < hostTime, stopTime.load(ordering: .relaxed) == .max {
            usleep(Self.pollInterval)
            // While a test holds its clock, the source does not count as stalled.
            if !isExhausted, MonotonicClock.now() - start > Self.longestSilence {
                isExhausted = true
                writer.append(.exhausted)
            }
        }
    }

    /// Waits for samples that are pushed, or until the input is stopped.
    ///
    /// - Returns: The number of bytes of them; 0 after a stop.
    private func wait(for pushed: PushSource, _ fragment: UnsafeMutableRawBufferPointer) -> Int {
        let start = MonotonicClock.now()
        var isExhausted = false
        while true {
            // Asked first, because a stop takes what was written before it.
            let isStopping = isStopping
            let byteCount = pushed.take(into: fragment)
            if byteCount > 0 || isStopping { return byteCount }
            pushed.wait(until: MonotonicClock.now() + Self.longestSilence)
            // While nobody writes, the source does not count as stalled.
            if !isExhausted, MonotonicClock.now() - start > Self.longestSilence {
                isExhausted = true
                writer.append(.exhausted)
            }
        }
    }

    private func hostTime(ofFrame frame: Int) -> UInt64 {
        backend.startTime + UInt64(Double(frame) / source.sampleSpec.sampleRate * 1e9)
    }

    private func frames(in seconds: Double) -> Int {
        // At most a year, so that the number of frames fits an Int.
        Int((min(max(0, seconds), 31_557_600) * source.sampleSpec.sampleRate).rounded())
    }
}
