/// The cycles in which PipeWire captures a stream: which of them completed a fragment.
///
/// PipeWire processes audio in cycles, whose length is that which the most demanding of all clients asks for. What a sink plays is
/// delivered at the end of each cycle, what an application plays at its beginning, and a fragment arrives with the cycle that
/// completes it. When another client shortens the cycle, a null sink stands still by as much, and when it leaves, the sink hurries
/// by as much: arrivals change, although nothing is missing. No client learns that. But the server states at any time how
/// much of a stream it has captured, which grows by a whole cycle at a time: asked every two milliseconds, it shows them. As long
/// as no client comes or goes, they go on as they are.
///
/// Measured with PipeWire 0.3.65 and cycles of 256, 512 and 2,048 frames at 48 kHz, of a monitor, a remap source and an application:
/// arrivals vary by 107 ms with the cycle, and without what is known of it by 0.5 ms, beside what was really missing.
struct PulseCycles {
    /// The cycle that completed a fragment.
    struct Cycle: Equatable {
        /// Its length in seconds.
        var length: Double
        /// How long the end of the fragment waited for its end, in seconds.
        var wait: Double
    }

    /// How long cycles are watched after another client has come or gone, and at most altogether, in nanoseconds.
    private static let watchedTime: UInt64 = 500_000_000
    private static let longestWatch: UInt64 = 2_000_000_000
    /// How long there is no answer at most while cycles are watched, in nanoseconds. A program that was stopped for longer, or got
    /// no processor, has not seen them. After so many such pauses one after another, it is the server that is slow.
    private static let longestPause: UInt64 = 250_000_000
    private static let mostPauses = 3
    /// How long a fragment waits until its cycle is known, in nanoseconds.
    private static let longestWait: UInt64 = 150_000_000
    /// How many cycles of one length end a watch: their sum, right to a frame, tells a length in frames of the graph even where
    /// there are six of these to one of the stream.
    private static let tellingCount = 14
    /// How many ends of cycles are known.
    private static let keptCount = 16
    /// By how many frames the lengths of cycles differ where the server resamples.
    private static let rounding = 2.0
    /// By how much a fragment arrives too early for the cycles that are known, in seconds: they have become longer.
    private static let smallestAdvance = 0.002
    /// No cycle is longer, in seconds: a faulty server may state any number of frames.
    private static let longestCycle = 1.0

    private let sampleRate: Double
    private let graphRate: Double
    private let steadying: Double
    private let fragmentFrames: Int
    /// The ends of the latest cycles, in frames of the stream, the newest last.
    private var ends: [Int64] = []
    /// The length of a cycle after the newest of these, in frames; nil while cycles are watched, and if there were none.
    private var cycle: Double?
    /// The end of a cycle before they were watched, and their length then.
    private var previous: (end: Int64, cycle: Double)?
    /// When the watch began, when it was last asked for, and when the latest answer came.
    private var beginTime: UInt64 = 0
    private var changeTime: UInt64 = 0
    private var answerTime: UInt64 = 0
    /// The number of pauses since two answers followed each other soon.
    private var pauseCount = 0
    /// The earliest steady arrival with these cycles, less the length of all audio until then, in seconds.
    private var earliest = Double.infinity

    /// - Parameters:
    ///   - graphRate: The rate of the server's graph in Hz.
    ///   - steadying: How many cycles added to it keep an arrival steady when the cycle changes.
    ///   - fragmentFrames: The length of a fragment in frames.
    init(_ spec: SampleSpec, graphRate: Double, steadying: Double, fragmentFrames: Int) {
        sampleRate = spec.sampleRate
        self.graphRate = graphRate
        self.steadying = steadying
        self.fragmentFrames = fragmentFrames
        ends.reserveCapacity(Self.keptCount + 1)
    }

    /// Whether the server is to be asked.
    private(set) var isWatched = false

    /// Watches the cycles from now on, because they may have changed.
    ///
    /// - Parameter time: The time in CLOCK_MONOTONIC nanoseconds, as of the other methods.
    mutating func watch(at time: UInt64) {
        changeTime = time
        guard !isWatched else { return }
        if let end = ends.last, let cycle { previous = (end, cycle) }
        cycle = nil
        earliest = .infinity
        beginWatch(at: time)
    }

    private mutating func beginWatch(at time: UInt64) {
        (isWatched, beginTime, answerTime) = (true, time, time)
        ends.removeAll(keepingCapacity: true)
    }

    /// Notes how many frames the server had captured.
    mutating func note(captured frames: Int64, at time: UInt64) {
        guard isWatched, frames >= 0 else { return }
        pauseCount = time > answerTime + Self.longestPause ? pauseCount + 1 : 0
        guard pauseCount == 0 || pauseCount > Self.mostPauses else {
            // The question may be of before the pause, and so would be its answer.
            beginWatch(at: time)
            return
        }
        answerTime = time
        if frames > ends.last ?? -1 {
            if ends.count == Self.keptCount { ends.removeFirst() }
            ends.append(frames)
        }
        let isLongest = time > beginTime + Self.longestWatch
        guard isLongest || time > changeTime + Self.watchedTime else { return }
        cycle = evenLength ?? (isLongest ? shortestLength : nil)
        isWatched = cycle == nil && !isLongest
    }

    /// The cycle that completed a fragment.
    ///
    /// - Parameters:
    ///   - end: The number of frames of the stream at the end of the fragment.
    ///   - arrivalTime: When the fragment arrived.
    /// - Returns: Nil if that is known soon.
    mutating func cycle(ofFragmentUntil end: Int64, arrivedAt arrivalTime: UInt64, now: UInt64) -> Cycle? {
        guard let found = knownCycle(ofFragmentUntil: max(end, 0)) else {
            if !isWatched { watch(at: now) }
            // The longest that there may be, so that what is not known is late rather than early.
            return now > arrivalTime + Self.longestWait ? Cycle(length: fragmentLength, wait: 0) : nil
        }
        guard !isWatched else { return found }
        let start = Double(arrivalTime) * 1e-9 + steadying * found.length - found.wait - Double(end) / sampleRate
        if start < earliest - Self.smallestAdvance, earliest < .infinity {
            watch(at: now)
            return nil
        }
        earliest = min(earliest, start)
        return found
    }

    private func knownCycle(ofFragmentUntil end: Int64) -> Cycle? {
        guard let newest = ends.last, ends.count > 1 else { return nil }
        guard let index = ends.firstIndex(where: { $0 >= end }) else {
            return cycle.map { self.cycle(at: end, after: newest, $0) }
        }
        guard index == 0 else {
            let found = cycle(endingAt: Double(ends[index]), length(of: index), end)
            // Several cycles may have been seen as one, of which the fragment waited for the end of the first. Where they were not,
            // it is late by that, rather than early.
            let before = index > 1 ? length(of: index - 1) : .infinity
            let shortest = min(before, index + 1 < ends.count ? length(of: index + 1) : .infinity)
            guard shortest < length(of: index) else { return found }
            let whole = ((found.wait * sampleRate + Self.rounding) / shortest).rounded(.down) * shortest
            return Cycle(length: found.length, wait: max(found.wait - whole / sampleRate, 0))
        }
        // The fragment has arrived before the first cycle of the watch ended, and may be of one as they were before.
        let later = cycle(at: end, after: ends[0], Double(ends[1] - ends[0]))
        guard let earlier = previous.map({ cycle(at: end, after: $0.end, $0.cycle) }) else { return later }
        return steadying * earlier.length - earlier.wait > steadying * later.length - later.wait ? earlier : later
    }

    /// The cycle at a frame, where all are as long.
    private func cycle(at end: Int64, after cycleEnd: Int64, _ length: Double) -> Cycle {
        let number = ((Double(end) - Double(cycleEnd) - Self.rounding) / length).rounded(.up)
        return cycle(endingAt: Double(cycleEnd) + number * length, length, end)
    }

    private func cycle(endingAt cycleEnd: Double, _ length: Double, _ end: Int64) -> Cycle {
        let seconds = min(length / sampleRate, Self.longestCycle)
        return Cycle(length: seconds, wait: min(max((cycleEnd - Double(end)) / sampleRate, 0), seconds))
    }

    /// The length of what was seen as a cycle, in frames.
    private func length(of index: Int) -> Double { Double(ends[index] - ends[index - 1]) }

    private var fragmentLength: Double { Double(fragmentFrames) / sampleRate }

    /// The length of the latest cycles, if that is one.
    private var evenLength: Double? {
        guard ends.count > Self.tellingCount else { return nil }
        let latest = ends.suffix(Self.tellingCount + 1)
        let lengths = zip(latest, latest.dropFirst()).map { $1 - $0 }
        guard let shortest = lengths.min(), let longest = lengths.max(), Double(longest - shortest) <= Self.rounding
        else {
            return nil
        }
        return graphCycle(Double(latest.last! - latest.first!) / Double(Self.tellingCount))
    }

    /// The shortest of the latest cycles: of others, several may have been seen as one.
    private var shortestLength: Double? { zip(ends, ends.dropFirst()).map { Double($1 - $0) }.min().map(graphCycle) }

    /// A length that is a whole number of frames of the graph.
    private func graphCycle(_ frames: Double) -> Double {
        let ratio = sampleRate / max(graphRate, 1)
        return max((frames / ratio).rounded(), 1) * ratio
    }
}
