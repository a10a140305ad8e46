/// The frames of a lane on the recording's time, as its input delivered them or resampled to the reference's clock.
///
/// Frames follow each other until the lane is broken off; the next ones lie where the lane's clock has them then. Call `next` until
/// it returns nil after each change.
struct LaneOutput: ~Copyable {
    /// What is missing of a lane before one of its frames, in frames of the recording.
    struct Missing: Equatable {
        let lane: Int
        let frames: Int
        /// The place of that frame.
        let end: Int
        let cause: RecordingGap.Cause
    }

    private let number: Int
    /// The recording's rate, and the lane's channels in it.
    private let form: StreamFormat
    private let quality: ResamplerQuality
    /// The rate of what is added in Hz, and its longest block in frames.
    private var sampleRate = 0
    private var blockFrames = 0
    /// Nil as long as frames pass unchanged.
    private var rate: LaneRate?
    private var unchanged: LaneRate.Placed?
    /// The first place that the lane may have.
    private var beginning = 0
    /// The place of its first frame, and the one after its last; nil before the first.
    private(set) var first: Int?
    private(set) var end: Int?
    /// Whether the next frame does not follow the last one, and why.
    private(set) var isBroken = true
    private var cause: RecordingGap.Cause?
    private var missing: [Missing] = []
    /// What one of the streams of the input lacks before the lane's next frame, whose place is not known yet, in frames.
    private var lacking = 0
    /// Where the lane begins if its source delivers at once; nil where that is not known.
    var punctualPlace: Int?
    /// By how much a lane may begin later without lacking anything, in seconds: sources are opened one after another.
    private static let punctuality = 0.1

    init(number: Int, form: StreamFormat, quality: ResamplerQuality) {
        (self.number, self.form, self.quality) = (number, form, quality)
    }

    var isConverted: Bool { rate != nil }

    /// Goes on with blocks of another rate.
    ///
    /// - Parameter blockFrames: The length of the longest one.
    mutating func open(sampleRate: Int, blockFrames: Int) {
        (self.sampleRate, self.blockFrames) = (sampleRate, blockFrames)
        rate = nil
    }

    /// Lets the next frames not follow those before.
    ///
    /// - Parameter cause: Why frames are missing; nil if that is known already, or none are.
    mutating func breakOff(_ cause: RecordingGap.Cause? = nil) {
        isBroken = true
        self.cause = cause ?? self.cause
    }

    /// Forgets what was not returned yet.
    mutating func restart() {
        rate = nil
        isBroken = true
    }

    /// Begins again, at a place or later.
    mutating func restart(at beginning: Int) {
        restart()
        self.beginning = beginning
        (end, cause) = (nil, nil)
    }

    /// Takes over a drift that is known for the first time.
    mutating func adopt(drift: Double) { rate?.adopt(drift: drift) }

    /// By how many frames of the recording the next frame lies too early.
    ///
    /// - Parameters:
    ///   - place: Where the next frame to be added belongs; nil if that is not known.
    ///   - drift: The clock's drift; nil if frames pass unchanged.
    func misplacement(of place: Double?, drift: Double?) -> Double {
        guard let end, !isBroken, let place else { return 0 }
        return drift.flatMap { rate?.misplacement(ofNext: place, drift: $0) } ?? place - Double(end)
    }

    /// Notes that one of the streams that the input mixes lacks frames of the input.
    ///
    /// - Parameter end: The place after them; nil for that of the next frame, as long as it is not known.
    mutating func lack(_ frames: Int, before end: Double?) {
        let length = Int((Double(frames) * Double(form.sampleRate) / Double(sampleRate)).rounded())
        if let end {
            missing.append(Missing(lane: number, frames: length, end: Int(end.rounded()), cause: .streamMissing))
        } else {
            lacking += length
        }
    }

    /// What was missing since the last call.
    mutating func takeMissing() -> [Missing] {
        defer { missing.removeAll(keepingCapacity: true) }
        return missing
    }
}

// MARK: - The frames

extension LaneOutput {
    /// Adds frames that pass as they are.
    ///
    /// - Parameter place: Where the first one belongs.
    mutating func pass(_ block: AudioBlock, at place: Double) {
        unchanged = LaneRate.Placed(block: block, position: isBroken ? Int(place.rounded()) : end ?? 0)
        isBroken = false
    }

    /// Adds frames to be resampled. If the lane was broken off, call `finish` before.
    ///
    /// - Parameters:
    ///   - start: Where the first one belongs.
    ///   - end: Where the one after the last one belongs.
    ///   - drift: The clock's drift.
    mutating func convert(
        _ block: AudioBlock, from start: Double, to end: Double, drift: Double
    ) throws(ACCAudioRecorderError) {
        if rate == nil {
            isBroken = true
            rate = try LaneRate(
                from: sampleRate, to: form.sampleRate, channelCount: form.channelCount, quality: quality,
                blockFrames: blockFrames)
        }
        if isBroken { rate?.start(at: start / Double(form.sampleRate), drift: drift) }
        rate?.append(block, until: end / Double(form.sampleRate), drift: drift)
        isBroken = false
    }

    /// Ends the audio before a gap: what the filter still holds is next.
    mutating func finish() { rate?.finish() }

    /// Ends the conversion once `finish` was called and everything was returned.
    mutating func endConversion() { rate = nil }

    /// The next frames with the place of the first one, valid until the next call; nil if more have to be added.
    mutating func next() throws(ACCAudioRecorderError) -> LaneRate.Placed? {
        if let block = unchanged.take(), let new = new(in: block) { return new }
        while let block = try rate?.next() { if let new = new(in: block) { return new } }
        return nil
    }

    /// Those frames that lie neither before the recording nor where the lane has been already; nil if there are none.
    private mutating func new(in placed: LaneRate.Placed) -> LaneRate.Placed? {
        let earliest = max(end ?? beginning, beginning)
        let late = max(earliest - placed.position, 0)
        guard late < placed.block.frameCount else { return nil }
        let position = placed.position + late
        if position > earliest {
            // Both lie before the same frame.
            let lacking = min(lacking, position - earliest)
            let absence = position - earliest - lacking
            if let cause, absence > 0 {
                missing.append(Missing(lane: number, frames: absence, end: position - lacking, cause: cause))
            }
            if lacking > 0 {
                missing.append(Missing(lane: number, frames: lacking, end: position, cause: .streamMissing))
            }
            cause = nil
        }
        lacking = 0
        if first == nil, missing.isEmpty, let punctualPlace,
            Double(position - punctualPlace) > Self.punctuality * Double(form.sampleRate)
        {
            missing.append(
                Missing(
                    lane: number, frames: position - punctualPlace, end: position, cause: .interruption(.stalled)))
        }
        let part = placed.block.part(from: late, frames: placed.block.frameCount - late)
        first = first ?? position
        end = position + part.frameCount
        return LaneRate.Placed(block: part, position: position)
    }
}
