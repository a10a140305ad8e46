/// Puts the blocks of several lanes side by side, by their places on the recording's time in frames.
///
/// Frames are complete as soon as all lanes that are waited for have delivered them, but are never held back for longer than
/// `holdBack` behind the newest ones. A lane that is later is silent there: its late frames are dropped, and reported as one
/// gap when it goes on. One that stays late is placed again, behind what was passed on, and returns to its own place once it
/// delivers sooner. A lane's frames that nobody has delivered are silence as well, of which the lane's owner knows.
///
/// With a single lane, blocks pass at once, and unchanged, without a copy. Lanes may be added and removed at any time.
///
/// Call `pop` until it returns nil after each change. Used by one thread at a time.
struct Timeline: ~Copyable {
    /// Complete frames of all lanes.
    struct Frames {
        /// The place of the first one.
        let position: Int
        /// A block of each lane, in their order; all of one length.
        let lanes: [AudioBlock]

        var count: Int { lanes.first?.frameCount ?? 0 }
    }

    /// Frames of a lane that came too late, and are silent, with those that it was moved by for that.
    struct Gap: Equatable {
        let lane: Int
        let position: Int
        let frames: Int
    }

    /// Whether frames wait for a lane.
    enum Waiting {
        /// It delivers, or is about to: they wait as long as `holdBack`.
        case forIt
        /// It is away but may go on at any time: as long as its first frames take to arrive.
        case forItsReturn
        case notAtAll
    }

    private struct Lane {
        let number: Int
        let channelCount: Int
        /// The frames from `passedOn` on, in a ring.
        let ring: UnsafeMutableBufferPointer<Float>
        /// The place after its last frame.
        var end: Int
        var waiting = Waiting.forIt
        /// By how much it is moved.
        var shift = 0
        /// The late frames that were not reported yet.
        var late = 0..<0
    }

    /// How much audio of a lane is late before it is placed again, in seconds.
    private static let patience = 1.0
    /// How long the first frames of a lane that returns take to arrive, in seconds, where others have arrived at once.
    private static let returnTime = 0.2

    private let capacity: Int
    private let maximumFrames: Int
    private let patience: Int
    private var holdBack: Int
    private var returnTime: Int
    private var lanes: [Lane] = []
    private var addedCount = 0
    /// The place after the last frame that was popped.
    private(set) var passedOn: Int
    /// The place after the newest frame of any lane.
    private var newest: Int
    /// What was pushed, until it is in the ring or passed on.
    private var pending: (block: AudioBlock, lane: Int, position: Int)?
    /// The frames that `pop` returned last, whose place in the rings is to be cleared.
    private var returned = 0
    /// The blocks of those frames; a variable to reuse its memory.
    private var blocks: [AudioBlock] = []
    private(set) var gaps: [Gap] = []

    /// - Parameters:
    ///   - position: The place of the first frame.
    ///   - sampleRate: The recording's, in Hz.
    ///   - holdBack: How long frames wait for lanes that have not delivered them, in seconds.
    ///   - spread: By how much lanes are placed later than others, in seconds; these wait as much longer.
    ///   - maximumFrames: The length of the longest block that is pushed or popped, in frames.
    init(at position: Int = 0, sampleRate: Int, holdBack: Double, spread: Double = 0, maximumFrames: Int) {
        self.holdBack = Int((holdBack + spread) * Double(sampleRate))
        returnTime = Int((min(Self.returnTime, holdBack) + spread) * Double(sampleRate))
        patience = Int(Self.patience * Double(sampleRate))
        self.maximumFrames = maximumFrames
        capacity = self.holdBack + 2 * maximumFrames
        passedOn = position
        newest = position
    }

    deinit {
        for lane in lanes { lane.ring.deallocate() }
    }

    /// Adds a lane, and returns its number. It is waited for from now on.
    mutating func addLane(channelCount: Int) -> Int {
        let ring = UnsafeMutableBufferPointer<Float>.allocate(capacity: capacity * channelCount)
        ring.initialize(repeating: 0)
        lanes.append(Lane(number: addedCount, channelCount: channelCount, ring: ring, end: passedOn))
        addedCount += 1
        return addedCount - 1
    }

    /// Removes a lane, with what of it was not passed on.
    mutating func removeLane(_ number: Int) {
        clearReturned()
        lanes.remove(at: index(of: number)).ring.deallocate()
    }

    /// Says whether frames wait for a lane.
    mutating func set(_ waiting: Waiting, forLane number: Int) {
        lanes[index(of: number)].waiting = waiting
    }

    /// Whether everything that was pushed was passed on.
    var isEmpty: Bool { passedOn == newest }

    private func index(of number: Int) -> Int { lanes.firstIndex { $0.number == number }! }

    /// Goes on at a later place, since nobody delivered before it. Everything must have been passed on.
    mutating func skip(to position: Int) {
        guard position > newest else { return }
        clearReturned()
        (passedOn, newest) = (position, position)
        for lane in lanes.indices { lanes[lane].end = max(lanes[lane].end, position) }
    }

    /// Lets nothing wait from now on, because the recording ends.
    mutating func end() {
        (holdBack, returnTime) = (0, 0)
        for lane in lanes.indices { report(lane) }
    }

    /// How many of these frames of a lane are late.
    ///
    /// - Parameter position: The place of the first one.
    func lateFrames(of count: Int, lane number: Int, at position: Int) -> Int {
        min(max(passedOn - position - lanes[index(of: number)].shift, 0), count)
    }

    /// Adds frames of a lane, which must stay valid until `pop` returns nil.
    ///
    /// - Parameter position: The place of the first one.
    mutating func push(_ block: AudioBlock, lane number: Int, at position: Int) {
        let lane = index(of: number)
        var block = block
        limitShift(ofLane: lane, endingAt: position + block.frameCount)
        var position = position + lanes[lane].shift
        // A lane that returns has been there already, and was told to be silent for as long when it was moved.
        let passed = min(max(lanes[lane].end - position, 0), block.frameCount)
        if passed > 0 { block = block.part(from: passed, frames: block.frameCount - passed) }
        position += passed
        if position < passedOn, block.frameCount > 0 {
            let late = min(passedOn - position, block.frameCount)
            let begin = lanes[lane].late.isEmpty ? position : lanes[lane].late.lowerBound
            lanes[lane].late = begin..<position + late
            if lanes[lane].late.count >= patience, late == block.frameCount {
                // With a reserve, so that it is not late again at once.
                let moved = passedOn + holdBack / 2 - position
                lanes[lane].shift += moved
                position += moved
                // What moving it leaves is silence, too.
                lanes[lane].late = lanes[lane].late.lowerBound..<position
            } else {
                block = block.part(from: late, frames: block.frameCount - late)
                position += late
            }
        }
        guard block.frameCount > 0 else { return }
        report(lane)
        pending = (block, lane, position)
        newest = max(newest, position + block.frameCount)
    }

    /// The next complete frames, valid until the next call; nil if frames of a lane are missing.
    mutating func pop() -> Frames? {
        clearReturned()
        if lanes.count == 1, lanes[0].end <= passedOn { return passThrough() }
        if let next = pending, next.position + next.block.frameCount - passedOn <= capacity {
            write(next.block, lane: next.lane, at: next.position)
            pending = nil
        }
        let complete = lanes.reduce(newest) { complete, lane in
            switch lane.waiting {
            case .forIt: min(complete, lane.end)
            case .forItsReturn: min(complete, max(lane.end, newest - returnTime))
            case .notAtAll: complete
            }
        }
        let limit = pending.map { $0.position + $0.block.frameCount - capacity } ?? passedOn
        return take(upTo: max(complete, newest - holdBack, limit))
    }

    /// The reported gaps; they are forgotten.
    mutating func takeGaps() -> [Gap] {
        defer { gaps = [] }
        return gaps
    }
}

// MARK: - The rings

extension Timeline {
    private mutating func passThrough() -> Frames? {
        guard let next = pending else { return nil }
        if next.position > passedOn { return take(upTo: next.position) }
        pending = nil
        passedOn = next.position + next.block.frameCount
        lanes[0].end = passedOn
        return Frames(position: next.position, lanes: [next.block])
    }

    private mutating func take(upTo end: Int) -> Frames? {
        let slot = passedOn % capacity
        let count = min(end - passedOn, capacity - slot, maximumFrames)
        guard count > 0 else { return nil }
        blocks.removeAll(keepingCapacity: true)
        for lane in lanes {
            let samples = slot * lane.channelCount..<(slot + count) * lane.channelCount
            blocks.append(
                AudioBlock(
                    samples: UnsafeBufferPointer(rebasing: lane.ring[samples]), exactSamples: nil,
                    isConverted: true, channelCount: lane.channelCount))
        }
        defer { (passedOn, returned) = (passedOn + count, count) }
        return Frames(position: passedOn, lanes: blocks)
    }

    private mutating func clearReturned() {
        let slot = (passedOn - returned) % capacity
        for lane in lanes where returned > 0 {
            lane.ring[slot * lane.channelCount..<(slot + returned) * lane.channelCount].update(repeating: 0)
        }
        returned = 0
    }

    private mutating func write(_ block: AudioBlock, lane index: Int, at position: Int) {
        let lane = lanes[index]
        var written = 0
        while written < block.frameCount {
            let slot = (position + written) % capacity
            let part = block.part(from: written, frames: capacity - slot)
            let first = lane.ring.baseAddress! + slot * lane.channelCount
            first.update(from: part.samples.baseAddress!, count: part.samples.count)
            written += part.frameCount
        }
        lanes[index].end = max(lane.end, position + block.frameCount)
    }

    /// Lets a lane that was moved return towards its own place if it delivers sooner than it did: others would be late beside it.
    private mutating func limitShift(ofLane lane: Int, endingAt end: Int) {
        guard lanes[lane].shift > 0 else { return }
        let others = lanes.indices.reduce(passedOn) { $1 == lane ? $0 : max($0, lanes[$1].end) }
        if end + lanes[lane].shift > others { lanes[lane].shift = max(others - holdBack / 2 - end, 0) }
    }

    private mutating func report(_ lane: Int) {
        let late = lanes[lane].late
        lanes[lane].late = 0..<0
        guard !late.isEmpty else { return }
        gaps.append(Gap(lane: lanes[lane].number, position: late.lowerBound, frames: late.count))
    }
}
