/// When the frames of a source were captured: a steady clock, made of two that are not.
///
/// A fragment arrives at a known time, and the server states when it was captured. The lowest arrival lag of two seconds is
/// steady: measured on both servers, to 0.3 ms after the first quarter of a second, and to 13 ms before. But it contains how
/// long the source takes to deliver, which only the server states. PulseAudio states the sum of all that is on the way, which
/// is up to 0.75 s too long in the first one and a half seconds of a monitor, and varies by 10 ms later. PipeWire states the
/// source's part by itself; the sum varies by 30 ms there. So the lowest lag carries the clock, and what is stated adds a
/// constant: the source's part, or the median of what is left of the sum.
struct CaptureTimes {
    /// The length of audio over which a lag is the lowest, in seconds: of one such window and the one before.
    private static let window = 1.0
    /// The limits of `delay` while a single fragment is known, in seconds. Above 0 for a monitor, which delivers frames before
    /// they are heard.
    private static let plausible = -0.03...0.05
    /// How fast `delay` follows what is stated, in seconds a second: by `fastRate` for the first `fastTime` seconds, then more
    /// slowly with the square of the time, at last by `slowRate`.
    private static let fastRate = 0.05
    private static let fastTime = 3.0
    private static let slowRate = 0.001

    private let spec: SampleSpec
    /// The frames that were added, and the seconds that were missing between them.
    private var frameCount = 0
    private var missing = 0.0
    /// The lowest arrival lags of the last complete window and of the current one, in seconds.
    private var lowestLags = (previous: Double.infinity, current: Double.infinity)
    private var windowStart = 0
    /// The constant: how much later a frame was captured than its lowest lag says, in seconds; nil before the first fragment.
    private(set) var delay: Double?
    /// The length of the fragments from which `delay` was learned, in seconds.
    private var heard = 0.0
    /// The length of the beginning whose arrival tells nothing, in seconds.
    private let unevenStart: Double

    /// PulseAudio delivers the first 60 ms of a stream that begins to play 10 ms earlier than what follows.
    private static let unevenStartOfPlayback = 0.1

    /// - Parameters:
    ///   - delay: That of an earlier stream of the same source; nil if none is known.
    ///   - isSettled: Whether the delay probably stays.
    ///   - unevenStart: The length of the beginning whose arrival tells nothing, in seconds.
    init(_ spec: SampleSpec, delay: Double? = nil, isSettled: Bool = true, unevenStart: Double = 0) {
        self.spec = spec
        self.delay = delay
        self.unevenStart = unevenStart
        if delay != nil, isSettled { heard = .infinity }
    }

    /// As `init` says, for a stream that begins after another one.
    ///
    /// - Parameters:
    ///   - source: The source of the stream.
    ///   - delay: That of the other stream, which was of the same source.
    init(_ source: AudioSource, delayBefore delay: Double?) {
        // What plays again may play to another sink; what PipeWire states of it is right at once.
        let isApplication = source.kind == .application
        let isByArrival = isApplication && !source.isOnPipeWire
        self.init(
            source.sampleSpec, delay: isApplication && !isByArrival ? nil : delay, isSettled: !isApplication,
            unevenStart: isByArrival ? Self.unevenStartOfPlayback : 0)
    }

    /// Adds the next fragment.
    ///
    /// - Parameter isLate: Whether the fragment has waited somewhere, so that its arrival tells nothing.
    mutating func add(_ stamp: FragmentStamp, isLate: Bool) {
        let start = seconds
        frameCount += stamp.byteCount / spec.bytesPerFrame
        let tells = !isLate && seconds > unevenStart
        if tells || lowestLag == .infinity { compare(Double(stamp.arrivalTime) * 1e-9 - seconds) }
        if let stated = stamp.sourceLatency {
            let seen = -Double(stated) * 1e-9
            delay = delay ?? seen
            follow(seen, over: seconds - start)
        } else {
            follow(Double(stamp.hostTime) * 1e-9 - start - lowestLag, over: seconds - start)
        }
    }

    /// Looks at fragments before they are added; does nothing once one was.
    ///
    /// - Returns: Whether they arrive at even intervals, so that their arrival tells when they were captured.
    mutating func lookAhead(at stamps: ArraySlice<FragmentStamp>) -> Bool {
        guard frameCount == 0 else { return false }
        var end = seconds
        var lags: [Double] = []
        var telling: [Double] = []
        for stamp in stamps {
            end += Double(stamp.byteCount / spec.bytesPerFrame) / rate
            lags.append(Double(stamp.arrivalTime) * 1e-9 - end)
            if end > unevenStart { telling.append(lags[lags.count - 1]) }
        }
        guard let first = lags.first, let lowest = telling.min() ?? lags.min() else { return false }
        compare(lowest)
        return first - lowest < Self.longestUnevenness
    }

    /// By how much the arrival of the first fragment may be later than that of the following ones, in seconds: a server that
    /// processes blocks of its own length delivers up to one of these later.
    private static let longestUnevenness = 0.06

    /// Whether the first of these fragments was captured before a suspension that has ended since, and was delivered only
    /// then, as by a busy PulseAudio: the lag of all that follow it, or follow a few like it, is higher.
    func isEarlier(firstOf stamps: ArraySlice<FragmentStamp>) -> Bool {
        var end = 0.0
        let lags = stamps.map { stamp in
            end += Double(stamp.byteCount / spec.bytesPerFrame) / rate
            return (end: end, lag: Double(stamp.arrivalTime) * 1e-9 - end)
        }
        var highest = -Double.infinity
        for index in lags.indices.dropLast() {
            guard lags[index].end <= Self.longestEarlier else { return false }
            highest = max(highest, lags[index].lag)
            if lags[(index + 1)...].allSatisfy({ $0.lag > highest + Self.longestUnevenness }) { return true }
        }
        return false
    }

    /// The longest audio in seconds that a busy server delivers late.
    private static let longestEarlier = 0.1

    /// Counts audio that is missing after the last frame.
    mutating func skip(_ seconds: Double) {
        missing += seconds
    }

    /// When a frame was captured, in CLOCK_MONOTONIC nanoseconds. However long the holes are that a faulty server states, the
    /// lowest lag falls by as much.
    ///
    /// - Parameter seconds: The length of all audio before that frame, with what is missing.
    func time(after seconds: Double) -> UInt64 {
        UInt64(max(((seconds + lowestLag + (delay ?? 0)) * 1e9).rounded(), 0))
    }

    /// The length of all audio so far, with what is missing, in seconds.
    var seconds: Double { Double(frameCount) / rate + missing }

    private var rate: Double { spec.sampleRate }

    private var lowestLag: Double { min(lowestLags.previous, lowestLags.current) }

    private mutating func compare(_ lag: Double) {
        if Double(frameCount - windowStart) / rate >= Self.window, lowestLags.current < .infinity {
            lowestLags = (lowestLags.current, .infinity)
            windowStart = frameCount
        }
        lowestLags.current = min(lowestLags.current, lag)
    }

    private mutating func follow(_ seen: Double, over length: Double) {
        heard += length
        guard let delay else {
            self.delay = min(max(seen, Self.plausible.lowerBound), Self.plausible.upperBound)
            return
        }
        let slowing = min(Self.fastTime / heard, 1)
        let step = length * max(Self.fastRate * slowing * slowing, Self.slowRate)
        self.delay = delay + min(max(seen - delay, -step), step)
    }
}

/// Computes when each frame of a recording was captured, from the capture times of the source's frames.
struct CaptureClock {
    private let outputRate: Double
    private var inputRate = 1.0
    /// When the frame after the last one was captured, in CLOCK_MONOTONIC nanoseconds.
    private(set) var endHostTime: UInt64 = 0
    /// The latest source frame with a known time, by its number in the segment.
    private var reference = (frame: 0, hostTime: UInt64(0))
    /// Source frames and output frames of the segment so far.
    private var framesIn = 0
    private var framesOut = 0

    init(outputRate: Int) {
        self.outputRate = Double(outputRate)
    }

    /// Begins a stretch of consecutive frames with a source of this sample rate.
    mutating func beginStretch(inputRate: Int) {
        self.inputRate = Double(inputRate)
        reference = (0, 0)
        (framesIn, framesOut) = (0, 0)
    }

    /// Adds source frames.
    ///
    /// - Parameter hostTime: When the first one was captured; nil if they directly follow the previous ones.
    mutating func append(_ frames: Int, hostTime: UInt64?) {
        if let hostTime { reference = (framesIn, hostTime) }
        framesIn += frames
    }

    /// When the next output frame was captured, in CLOCK_MONOTONIC nanoseconds. May precede the reference, because a
    /// resampler holds frames back.
    var hostTimeOfNextFrame: UInt64 {
        let seconds = Double(framesOut) / outputRate - Double(reference.frame) / inputRate
        return max(endHostTime, UInt64(max(Double(reference.hostTime) + seconds * 1e9, 0)))
    }

    /// The number of source frames whose output frames were not added, because a resampler holds them, or because they are
    /// after the end of the recording.
    var framesAhead: Int {
        max(framesIn - Int((Double(framesOut) / outputRate * inputRate).rounded(.up)), 0)
    }

    /// Adds output frames.
    mutating func advance(by frames: Int) {
        framesOut += frames
        endHostTime = hostTimeOfNextFrame
    }

    /// Adds output frames of silence that fill a gap.
    mutating func advance(bySilence frames: Int) {
        endHostTime += UInt64(frames) * 1_000_000_000 / UInt64(outputRate)
    }
}
