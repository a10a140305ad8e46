/// Finds what is wrong with a signal while it is recorded, or with one from a file, and measures it.
///
/// Gets the frames in blocks of any length. What it finds can be taken after each block, or at the end. Used by one thread at a
/// time. Allocates nothing for a block in which nothing is found, and has the same size however long the signal is.
///
/// ```swift
/// var check = SignalCheck(sampleRate: 48_000, channelMap: ChannelMap(names: "stereo")!, integerBits: 16)
/// check.add(samples, at: 0)
/// let figures = check.finish()
/// for finding in check.takeFindings() { print(finding) }
/// ```
public struct SignalCheck: ~Copyable {
    /// How many channels a signal may have.
    public static let channelCounts: ClosedRange<UInt32> = 1...64

    /// After this much sound, what is true of all of it is given while the signal goes on, in seconds.
    private static let judgementSeconds = 30
    /// Less sound is not judged as a whole, in seconds.
    private static let leastSeconds = 1
    /// Sound that stays below is too quiet: -40 dBFS.
    private static let quietPeak: Float = 0.01
    /// How many frames before a slot are kept: 96 ms at 48 kHz. A buffer that occurs twice is shorter.
    private static let keptFrames = 4_608

    private let channelCount: Int
    private let sampleRate: Int
    private let clipThreshold: Float
    private let lengths: SlotLengths
    private var history: SignalHistory
    /// The frame where the slot begins, and how many frames before it belong to the same stretch.
    private var slotStart = 0
    private var stretch = 0
    /// How many frames were examined.
    private var frameCount = 0
    private var soundFrames = 0
    private var wasJudged = false

    // What one slot has, kept so that nothing is allocated for it.
    private var levels: [SlotLevel]
    private var parts: [PartLevel]
    private var runs: [FlatRun] = []

    /// The levels of the whole signal.
    private var totals: [SlotLevel]
    /// The sums of the samples of the current second, and what the means of all seconds tell.
    private var secondSums: [Double]
    private var secondFrames = 0
    private var offsets: [SteadyOffset]
    private var statistics: [LevelStatistics]
    private var loudness: LoudnessMeter
    private var truePeaks: TruePeakMeter

    private var scanners: [FlatRunScanner]
    private var clipped: ClippedRuns
    private var dropouts: Dropouts
    private var silence: Silence
    private var jumps: Jumps
    private var repetitions: Repetitions
    private var invalid: Episode
    private var pairs: ChannelPairs
    private var copies: ChannelCopies
    private let spectrum = PowerSpectrum(length: SlotLengths.spectrumSamples)
    private var hum: Hum
    private var bandwidth: Bandwidth
    private var nextSpectrum = 0
    private var list = FindingList()

    /// Creates a check of a signal.
    ///
    /// - Parameters:
    ///   - sampleRate: In Hz, rounded; 1,000 to 1,000,000; others are taken as the nearest of these.
    ///   - channelMap: The position of each channel, 1 to 64. Left and right of a kind are compared with one another; without
    ///     positions, each two that follow one another.
    ///   - integerBits: The word length of the samples in bits; nil for floating point, and for what was compressed.
    public init(sampleRate: Double, channelMap: ChannelMap, integerBits: Int?) {
        let sampleRate = Int(min(max(1_000, sampleRate), 1_000_000).rounded())
        let count = channelMap.count
        precondition(Self.channelCounts.contains(channelMap.channelCount), "a signal has 1 to 64 channels")
        let lengths = SlotLengths(sampleRate: sampleRate)
        (self.sampleRate, self.lengths, channelCount) = (sampleRate, lengths, count)
        history = SignalHistory(
            channelCount: count, slotFrames: lengths.slotFrames,
            kept: max(Self.keptFrames, Jumps.history(second: sampleRate, partFrames: lengths.partFrames)))
        levels = Array(repeating: SlotLevel(), count: count)
        parts = Array(repeating: PartLevel(), count: count * SlotLengths.partsPerSlot)
        runs.reserveCapacity(lengths.slotFrames / 2)
        totals = levels
        secondSums = Array(repeating: 0, count: count)
        offsets = Array(repeating: SteadyOffset(), count: count)
        statistics = Array(repeating: LevelStatistics(), count: count)
        loudness = LoudnessMeter(sampleRate: sampleRate, channelMap: channelMap)
        truePeaks = TruePeakMeter(sampleRate: sampleRate, channelCount: count)
        scanners = Array(repeating: FlatRunScanner(), count: count)
        let bits = min(integerBits ?? 16, 16)
        clipThreshold = SampleFormat.clipThreshold(bits: bits)
        clipped = ClippedRuns(channelCount: count, clipThreshold: clipThreshold, bits: bits, second: sampleRate)
        dropouts = Dropouts(
            channelCount: count, second: sampleRate, mostFrames: Silence.leastSeconds * sampleRate)
        silence = Silence(channelCount: count, second: sampleRate)
        jumps = Jumps(channelCount: count, partFrames: lengths.partFrames, second: sampleRate)
        repetitions = Repetitions(channelCount: count, second: sampleRate)
        invalid = Episode(.invalid, patience: sampleRate)
        pairs = ChannelPairs(channelMap: channelMap)
        copies = ChannelCopies(channelCount: count)
        hum = Hum(sampleRate: sampleRate, channelCount: count, partFrames: lengths.partFrames)
        bandwidth = Bandwidth(sampleRate: sampleRate, channelCount: count)
    }

    // MARK: - While it goes on

    /// Adds the frames that follow.
    ///
    /// - Parameters:
    ///   - samples: Whole frames, interleaved; full scale is ±1.
    ///   - frame: The number of the first one. If it is not the one that follows the last, there is a gap, over which nothing is
    ///     compared.
    public mutating func add(_ samples: UnsafeBufferPointer<Float>, at frame: Int) {
        if frame != slotStart + history.frameCount { restart(at: frame) }
        guard let base = samples.baseAddress else { return }
        let count = samples.count / channelCount
        var done = 0
        while done < count {
            done += history.fill(base + done * channelCount, count: count - done)
            if history.isFull { examineSlot() }
        }
    }

    /// Says that the frames that follow do not continue the last ones, though their numbers do: nothing is compared over that.
    public mutating func breakOff() {
        restart(at: slotStart + history.frameCount)
    }

    /// Removes and returns what was found since the last call. There are at most 500 findings of each kind that have ended.
    public mutating func takeFindings() -> [SignalFinding] { list.take() }

    /// Whether `takeFindings` returns anything.
    public var hasFindings: Bool { !list.findings.isEmpty }

    /// The number of findings that were omitted, because there were 500 of their kind.
    public var omittedCount: Int { list.omittedCount }

    /// The loudness of the last 400 ms in LUFS, renewed every 10 ms; minus infinity for silence, nil before.
    public var momentaryLoudness: Double? { loudness.momentary }
    /// The loudness of the last 3 s in LUFS, renewed every 100 ms; minus infinity for silence, nil before.
    public var shortTermLoudness: Double? { loudness.shortTerm }
    /// The gated loudness of all so far in LUFS; nil as long as nothing was louder than -70 LUFS.
    public var integratedLoudness: Double? { loudness.integrated }
    /// The loudness range of all so far in LU (EBU Tech 3342); nil within the first 3 s.
    public var loudnessRange: Double? { loudness.range }
    /// The highest true peak of all so far in dBTP, at least -120.
    public var truePeak: Double { Double(Decibels.fromAmplitude(Double(truePeaks.peak))) }

    /// Whether all samples so far were zero.
    package var isSilent: Bool { truePeaks.peak == 0 }

    // MARK: - At the end

    /// Ends the signal. Afterwards `takeFindings` returns what was found only now.
    ///
    /// - Returns: What was measured.
    public mutating func finish() -> SignalFigures {
        restart(at: slotStart + history.frameCount)
        silence.finish(at: slotStart, list: &list)
        clipped.finish(levels: totals, list: &list)
        dropouts.finish(list: &list)
        jumps.finish(list: &list)
        repetitions.finish(list: &list)
        invalid.finish(to: &list)
        judge(isOngoing: false)
        return figures
    }

    private var figures: SignalFigures {
        SignalFigures(
            frameCount: frameCount, integrated: loudness.integrated, range: loudness.range,
            momentary: loudness.highestMomentary.flatMap { $0.isFinite ? $0 : nil },
            shortTerm: loudness.highestShortTerm.flatMap { $0.isFinite ? $0 : nil },
            channels: (0..<channelCount).map { channel in
                let total = totals[channel]
                let power = total.sumOfSquares / Double(max(frameCount, 1))
                return SignalFigures.Channel(
                    peakDecibels: Double(Decibels.fromAmplitude(Double(total.peak))),
                    rmsDecibels: Double(Decibels.fromAmplitude(power.squareRoot())),
                    truePeak: Double(Decibels.fromAmplitude(Double(max(truePeaks.peaks[channel], total.peak)))),
                    mean: total.sum / Double(max(frameCount, 1)),
                    noiseFloor: statistics[channel].level(exceededFor: 0.9),
                    speechLevel: statistics[channel].level(exceededFor: 0.1),
                    bandwidth: bandwidth.highestFrequency(of: channel))
            })
    }
}

// MARK: - One slot

extension SignalCheck {
    private mutating func examineSlot() {
        let frames = history.slot
        let end = slotStart + frames.frameCount
        measure(frames)
        var hasSound = false
        for channel in 0..<channelCount {
            totals[channel].merge(levels[channel])
            secondSums[channel] += levels[channel].sum
            statistics[channel].take(levels[channel], frames: frames.frameCount)
            hasSound = hasSound || levels[channel].peak > 0
            examineRuns(frames, channel)
            repetitions.examine(
                frames.samples(of: channel), count: frames.frameCount, channel: channel, from: slotStart,
                history: min(stretch, frames.history), list: &list)
        }
        loudness.add(frames)
        truePeaks.add(frames)
        pairs.take(frames)
        copies.take(levels)
        // Only a stretch ends with a slot that is not full.
        if history.isFull {
            jumps.examine(parts, of: frames, from: slotStart, list: &list)
            analyseSpectra(frames, at: end)
        }
        silence.update(at: end, openRun: { scanners[$0].open?.start }, list: &list)
        closeEpisodes(before: end)
        takeSecond(frames.frameCount)
        if hasSound { soundFrames += frames.frameCount }
        stretch += frames.frameCount
        frameCount += frames.frameCount
        slotStart = end
        history.advance()
        guard !wasJudged, soundFrames >= Self.judgementSeconds * sampleRate else { return }
        wasJudged = true
        judge(isOngoing: true)
    }

    private mutating func measure(_ frames: PlanarFrames) {
        for channel in 0..<channelCount {
            measure(channel, frames)
            guard !(levels[channel].sumOfSquares < 1e10) else { continue }
            let count = history.replaceInvalid(channel: channel)
            if count > 0 {
                invalid.add(
                    slotStart..<slotStart + frames.frameCount, channel: channel, value: Double(count), isSum: true,
                    to: &list)
            }
            measure(channel, frames)
        }
    }

    private mutating func measure(_ channel: Int, _ frames: PlanarFrames) {
        levels[channel] = parts.withUnsafeMutableBufferPointer { parts in
            SlotLevel(
                of: frames.samples(of: channel), count: frames.frameCount, partFrames: lengths.partFrames,
                parts: parts.baseAddress! + channel * SlotLengths.partsPerSlot)
        }
    }

    private mutating func examineRuns(_ frames: PlanarFrames, _ channel: Int) {
        let samples = frames.samples(of: channel)
        runs.removeAll(keepingCapacity: true)
        for part in 0..<SlotLengths.partsPerSlot {
            guard parts[channel * SlotLengths.partsPerSlot + part].hasFlatRun || scanners[channel].open != nil else {
                continue
            }
            let first = part * lengths.partFrames
            let count = min(max(frames.frameCount - first, 0), lengths.partFrames)
            scanners[channel].scan(samples + first, count: count, from: slotStart + first, into: &runs)
        }
        for run in runs {
            let (index, end) = (run.frames.lowerBound - slotStart, run.frames.upperBound - slotStart)
            if index > -frames.history {
                clipped.examine(run, channel: channel, before: samples[index - 1], after: samples[end], list: &list)
            }
            dropouts.noteStart(
                run.frames.lowerBound, channel: channel, samples: samples, index: index, history: frames.history)
            if abs(run.value) < clipThreshold { dropouts.take(run, channel: channel) }
        }
        dropouts.decide(
            channel: channel, samples: samples, from: slotStart, count: frames.frameCount, history: frames.history,
            list: &list)
        guard let open = scanners[channel].open else { return }
        dropouts.noteStart(
            open.start, channel: channel, samples: samples, index: open.start - slotStart, history: frames.history)
    }

    /// Spectra of the signal as it is: two a second in the first ten seconds, so that short files are judged, then one in two.
    private mutating func analyseSpectra(_ frames: PlanarFrames, at end: Int) {
        for channel in 0..<channelCount {
            let first = channel * SlotLengths.partsPerSlot
            hum.take(parts[first..<first + SlotLengths.partsPerSlot], channel: channel, spectrum: spectrum)
        }
        guard stretch >= spectrum.length, end >= nextSpectrum else { return }
        nextSpectrum = end + (end < 10 * sampleRate ? sampleRate / 2 : 2 * sampleRate)
        for channel in 0..<channelCount {
            spectrum.analyse(frames.samples(of: channel) + (frames.frameCount - spectrum.length))
            bandwidth.add(spectrum, channel: channel)
        }
    }

    private mutating func closeEpisodes(before frame: Int) {
        clipped.close(before: frame, list: &list)
        dropouts.close(before: frame, list: &list)
        jumps.close(before: frame, list: &list)
        repetitions.close(before: frame, list: &list)
        invalid.close(before: frame, to: &list)
    }

    private mutating func takeSecond(_ count: Int) {
        secondFrames += count
        guard secondFrames >= sampleRate else { return }
        for channel in 0..<channelCount {
            offsets[channel].take(mean: secondSums[channel] / Double(secondFrames))
            secondSums[channel] = 0
        }
        secondFrames = 0
    }

    /// Ends the stretch, and begins another one at a frame.
    private mutating func restart(at frame: Int) {
        if history.frameCount > 0 { examineSlot() }
        for channel in 0..<channelCount { _ = scanners[channel].finish(at: slotStart) }
        dropouts.restart()
        jumps.restart()
        repetitions.restart()
        (slotStart, stretch) = (frame, 0)
    }
}

// MARK: - All of it

extension SignalCheck {
    /// Gives what is true of the whole signal so far.
    private mutating func judge(isOngoing: Bool) {
        guard soundFrames >= Self.leastSeconds * sampleRate else { return }
        func give(_ finding: SignalFinding) {
            var finding = finding
            finding.isOngoing = isOngoing
            list.add(finding)
        }
        let frames = 0..<max(slotStart, 1)
        let peak = totals.map(\.peak).max() ?? 0
        if peak < Self.quietPeak {
            give(
                SignalFinding(
                    .quiet, channels: Array(1...channelCount), frames: frames,
                    value: Double(Decibels.fromAmplitude(Double(peak)))))
        }
        let copies = copies.groups(levels: totals, count: max(frameCount, 1))
        for channels in copies where channels.allSatisfy({ silence.hasSounded($0 - 1) }) {
            give(SignalFinding(.identical, channels: channels, frames: frames, value: 1))
        }
        for finding in pairs.findings(levels: totals, count: max(frameCount, 1))
        where finding.channels.allSatisfy({ silence.hasSounded($0 - 1) })
            && !copies.contains(where: Set(finding.channels).isSubset)
        {
            give(finding)
        }
        for channel in 0..<channelCount where silence.hasSounded(channel) {
            if let offset = offsets[channel].value {
                let level = Double(Decibels.fromAmplitude(abs(offset)))
                give(SignalFinding(.offset, channels: [channel + 1], frames: frames, value: level))
            }
            if let hum = hum.hum(of: channel) {
                give(
                    SignalFinding(
                        .hum, channels: [channel + 1], frames: frames, value: hum.frequency, level: hum.level))
            }
            if let wall = bandwidth.wall(of: channel) {
                give(SignalFinding(.narrowBand, channels: [channel + 1], frames: frames, value: wall))
            }
        }
    }
}
