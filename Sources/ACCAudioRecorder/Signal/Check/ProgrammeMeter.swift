/// Measures the loudness of interleaved frames by EBU R 128: what the header of a broadcast file states.
struct ProgrammeMeter: ~Copyable {
    /// More than the true peak needs before those that are added.
    private static let keptFrames = 32
    private let channelCount: Int
    private var history: SignalHistory
    private var loudness: LoudnessMeter
    private var truePeaks: TruePeakMeter
    /// A slot of samples as floating point.
    private let floats: UnsafeMutableBufferPointer<Float>

    /// - Parameter form: The rate and the channels of the frames.
    init(_ form: StreamFormat) {
        channelCount = form.channelCount
        let slotFrames = SlotLengths(sampleRate: form.sampleRate).slotFrames
        history = SignalHistory(
            channelCount: form.channelCount, slotFrames: slotFrames, kept: max(Self.keptFrames, slotFrames))
        loudness = LoudnessMeter(sampleRate: form.sampleRate, channelMap: form.channelMap)
        truePeaks = TruePeakMeter(sampleRate: form.sampleRate, channelCount: form.channelCount)
        floats = .allocate(capacity: slotFrames * form.channelCount)
        floats.initialize(repeating: 0)
    }

    deinit { floats.deallocate() }

    /// Adds the frames that follow.
    ///
    /// - Parameter samples: Interleaved; full scale is ±1.
    mutating func add(_ samples: UnsafeBufferPointer<Float>) {
        guard let base = samples.baseAddress else { return }
        let count = samples.count / channelCount
        var done = 0
        while done < count {
            done += history.fill(base + done * channelCount, count: count - done)
            if history.isFull { measure() }
        }
    }

    /// Adds the frames that follow.
    ///
    /// - Parameter samples: Interleaved; left-justified in 32 bits.
    mutating func add(_ samples: UnsafeBufferPointer<Int32>) {
        var rest = samples[...]
        while !rest.isEmpty {
            let part = rest.prefix(floats.count)
            for (index, sample) in part.enumerated() { floats[index] = Float(sample) / 0x1p31 }
            add(UnsafeBufferPointer(rebasing: floats[..<part.count]))
            rest = rest.dropFirst(part.count)
        }
    }

    /// What was measured of all frames so far.
    mutating func finish() -> BroadcastLoudness {
        if history.frameCount > 0 { measure() }
        return BroadcastLoudness(
            integrated: loudness.integrated, range: loudness.range,
            truePeak: Double(Decibels.fromAmplitude(Double(truePeaks.peak))),
            momentary: loudness.highestMomentary, shortTerm: loudness.highestShortTerm)
    }

    private mutating func measure() {
        loudness.add(history.slot)
        truePeaks.add(history.slot)
        history.advance()
    }
}

/// The loudness of a file: in LUFS, the range in LU, and the true peak in dBTP; nil where there was too little of it.
struct BroadcastLoudness {
    let integrated: Double?
    let range: Double?
    let truePeak: Double?
    /// The highest ones.
    let momentary: Double?
    let shortTerm: Double?
}
