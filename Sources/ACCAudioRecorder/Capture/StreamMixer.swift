/// Adds up the streams of an application on one timeline, on the capture thread.
///
/// Each stream has a lane. A stream that begins, or plays again after a pause, is placed by the time at which its first
/// frame was captured; its further frames follow it. Frames are passed on as soon as all lanes have delivered them, but
/// never held back for longer than `longestDelay`: a lane that is later continues after what was passed on, in which it
/// is missing. With a single lane, frames are passed on at once, and unchanged. What is missing of a lane is reported when
/// it goes on.
///
/// Used by one thread at a time. Takes no lock; allocates only when a lane is added.
struct StreamMixer: ~Copyable {
    /// A stream's place on the timeline.
    private struct Lane {
        let number: Int
        /// The frame of the timeline after the last one that it has delivered; nil if the next one is placed by its time.
        var end: Int?
        /// The frame of the timeline after the last one before frames of it were lost; nil if none are missing.
        var lossStart: Int?
        /// When its last frames arrived, in CLOCK_MONOTONIC nanoseconds.
        var arrivalTime: UInt64 = 0
    }

    /// Frames that arrived together.
    private struct Block {
        var frames: Range<Int>
        /// The stamp of the first of them.
        let stamp: FragmentStamp
    }

    /// How long frames wait for lanes that have not delivered them, in seconds.
    static let longestDelay = 0.15

    private let spec: SampleSpec
    /// `longestDelay` in frames; 0 after `endDelay`.
    private var delay: Int
    /// The frames of the timeline from `passedOn` to `end`, interleaved.
    private let window: UnsafeMutableRawBufferPointer
    private var passedOn = 0
    private var end = 0
    /// The blocks in the window, in order, without a gap between them.
    private var blocks: [Block] = []
    private var lanes: [Lane] = []
    private var lastNumber = 0
    /// The latest frame with a known time, in CLOCK_MONOTONIC nanoseconds; nil if the timeline begins with the next one.
    private var reference: (frame: Int, hostTime: UInt64)?

    private static let blockCapacity = 64
    /// The longest silence, in seconds, that is put where no stream has delivered; a faulty server may state any time.
    private static let longestSilence = 5

    /// - Parameter spec: The format of all streams, whose encoding is one that streams are mixed in.
    init(_ spec: SampleSpec) {
        self.spec = spec
        delay = max(Int(Self.longestDelay * Double(spec.sampleRate)), 1)
        window = .allocate(byteCount: 4 * delay * spec.bytesPerFrame, alignment: 64)
        blocks.reserveCapacity(Self.blockCapacity)
    }

    deinit {
        window.deallocate()
    }

    /// How many bytes are held back.
    var heldBytes: Int { (end - passedOn) * spec.bytesPerFrame }

    /// Adds a lane, and returns its number.
    mutating func addLane() -> Int {
        lastNumber += 1
        lanes.append(Lane(number: lastNumber))
        return lastNumber
    }

    /// Removes a lane. What it has delivered stays.
    mutating func removeLane(_ number: Int) {
        lanes.removeAll { $0.number == number }
    }

    /// Places the next frames of a lane by their time, because it has paused.
    mutating func interruptLane(_ number: Int) {
        guard let index = index(of: number) else { return }
        (lanes[index].end, lanes[index].lossStart) = (nil, nil)
    }

    /// Places the next frames of a lane by their time, because the stream was lost and is opened again.
    mutating func loseLane(_ number: Int) {
        guard let index = index(of: number) else { return }
        lanes[index].lossStart = lanes[index].end ?? lanes[index].lossStart
        lanes[index].end = nil
    }

    /// Leaves out frames of a lane that were lost. If it is the only one, they are a hole in what is recorded.
    ///
    /// - Parameter hostTime: When the first of them was captured.
    /// - Returns: Whether the writer has reached its stop.
    mutating func skip(
        _ frames: Int, at hostTime: UInt64, lane number: Int, to writer: inout FragmentWriter
    ) -> Bool {
        guard let index = index(of: number), let end = lanes[index].end else { return false }
        guard lanes.count > 1 else {
            if flush(to: &writer) { return true }
            writer.skip(byteCount: frames * spec.bytesPerFrame, at: hostTime)
            return false
        }
        lanes[index].lossStart = lanes[index].lossStart ?? end
        lanes[index].end = end + min(frames, Self.longestSilence * spec.sampleRate)
        return false
    }

    private func index(of number: Int) -> Int? { lanes.firstIndex { $0.number == number } }

    /// Writes the next frames of a lane, and passes on what is complete.
    ///
    /// - Returns: Whether the writer has reached its stop.
    mutating func write(
        _ bytes: UnsafeRawBufferPointer, _ stamp: FragmentStamp, lane number: Int, to writer: inout FragmentWriter
    ) -> Bool {
        guard let index = index(of: number) else { return false }
        var frames = place(bytes.count / spec.bytesPerFrame, stamp, lanes[index])
        if let lossStart = lanes[index].lossStart.take() ?? lanes[index].end, lossStart < frames.lowerBound {
            let end = frames.lowerBound - passedOn
            writer.append(.partMissing(frames: frames.lowerBound - lossStart, end: end))
        }
        lanes[index].arrivalTime = stamp.arrivalTime
        var offset = 0
        // Where no lane has delivered, nothing was played.
        while end < frames.lowerBound {
            append(silence: min(frames.lowerBound - end, room), stamp)
            if passOnComplete(to: &writer) { return true }
        }
        while !frames.isEmpty {
            let count = min(frames.count, room(from: frames.lowerBound))
            let part = UnsafeRawBufferPointer(
                rebasing: bytes[offset * spec.bytesPerFrame..<(offset + count) * spec.bytesPerFrame])
            add(part, at: frames.lowerBound, stamp.later(by: offset, in: spec))
            offset += count
            frames = frames.lowerBound + count..<frames.upperBound
            lanes[index].end = frames.lowerBound
            if passOnComplete(to: &writer) { return true }
        }
        return false
    }

    /// Passes on everything, and begins a new timeline with the next frame.
    ///
    /// - Returns: Whether the writer has reached its stop.
    mutating func flush(to writer: inout FragmentWriter) -> Bool {
        defer {
            for index in lanes.indices { (lanes[index].end, lanes[index].lossStart) = (nil, nil) }
            reference = nil
        }
        return passOn(upTo: end, to: &writer)
    }

    /// Passes on everything from now on as soon as one lane has delivered it.
    ///
    /// - Returns: Whether the writer has reached its stop.
    mutating func endDelay(to writer: inout FragmentWriter) -> Bool {
        delay = 0
        return passOnComplete(to: &writer)
    }
}

// MARK: - The window

extension StreamMixer {
    /// The number of frames that still fit into the window.
    private var room: Int { room(from: end) }

    private func room(from frame: Int) -> Int { window.count / spec.bytesPerFrame - (frame - passedOn) }

    /// The frames of the timeline that the next ones of a lane become.
    private func place(_ count: Int, _ stamp: FragmentStamp, _ lane: Lane) -> Range<Int> {
        var first = end
        // A lane whose clock is slower falls behind. Once it is overtaken, its time counts: otherwise each of its blocks from
        // then on would be a little too late.
        if let laneEnd = lane.end, laneEnd >= passedOn {
            first = laneEnd
        } else if let reference {
            let nanoseconds = Int64(clamping: stamp.hostTime) - Int64(clamping: reference.hostTime)
            first = reference.frame + Int((Double(nanoseconds) * 1e-9 * Double(spec.sampleRate)).rounded())
            if let lossStart = lane.lossStart {
                // Stated times are off by up to a block that a sink plays at once, arrival times are not: after a loss the
                // later one counts.
                let untilArrival = Double(max(stamp.arrivalTime, lane.arrivalTime) - lane.arrivalTime) * 1e-9
                first = max(first, lossStart + max(Int(min(untilArrival, 1e6) * Double(spec.sampleRate)) - count, 0))
            }
        }
        first = min(max(first, passedOn), end + Self.longestSilence * spec.sampleRate)
        return first..<first + count
    }

    /// Adds frames to those of other lanes, or appends them.
    private mutating func add(_ bytes: UnsafeRawBufferPointer, at first: Int, _ stamp: FragmentStamp) {
        let added = min(end - first, bytes.count / spec.bytesPerFrame)
        let addedBytes = added * spec.bytesPerFrame
        if added > 0 {
            spec.format.add(
                UnsafeRawBufferPointer(rebasing: bytes[..<addedBytes]),
                to: UnsafeMutableRawBufferPointer(
                    rebasing: window[(first - passedOn) * spec.bytesPerFrame..<window.count]))
        }
        guard addedBytes < bytes.count else { return }
        let rest = UnsafeRawBufferPointer(rebasing: bytes[addedBytes...])
        window.baseAddress?.advanced(by: (end - passedOn) * spec.bytesPerFrame)
            .copyMemory(from: rest.baseAddress!, byteCount: rest.count)
        append(rest.count / spec.bytesPerFrame, stamp.later(by: added, in: spec))
    }

    /// - Parameter stamp: The stamp of what follows the silence.
    private mutating func append(silence count: Int, _ stamp: FragmentStamp) {
        let start = (end - passedOn) * spec.bytesPerFrame
        window[start..<start + count * spec.bytesPerFrame].initializeMemory(as: UInt8.self, repeating: 0)
        var silence = stamp
        if let reference { silence.hostTime = reference.hostTime + spec.nanoseconds(end - reference.frame) }
        append(count, silence)
    }

    private mutating func append(_ count: Int, _ stamp: FragmentStamp) {
        reference = (end, stamp.hostTime)
        if blocks.count < Self.blockCapacity {
            blocks.append(Block(frames: end..<end + count, stamp: stamp))
        } else {
            blocks[blocks.count - 1].frames = blocks[blocks.count - 1].frames.lowerBound..<end + count
        }
        end += count
    }

    private mutating func passOnComplete(to writer: inout FragmentWriter) -> Bool {
        let complete = lanes.reduce(end) { min($0, $1.end ?? passedOn) }
        return passOn(upTo: max(complete, end - delay), to: &writer)
    }

    private mutating func passOn(upTo frame: Int, to writer: inout FragmentWriter) -> Bool {
        let start = passedOn
        var isComplete = false
        while passedOn < frame, !isComplete {
            let block = blocks[0]
            let frames = passedOn..<min(block.frames.upperBound, frame)
            let bytes = UnsafeRawBufferPointer(
                rebasing: window[
                    (frames.lowerBound - start) * spec.bytesPerFrame..<(frames.upperBound - start) * spec.bytesPerFrame]
            )
            let outcome = writer.write(
                bytes, block.stamp.later(by: frames.lowerBound - block.frames.lowerBound, in: spec))
            isComplete = outcome.isComplete
            if !isComplete, outcome.byteCount < bytes.count { writer.drop(byteCount: bytes.count - outcome.byteCount) }
            passedOn = frames.upperBound
            if passedOn == block.frames.upperBound { blocks.removeFirst() }
        }
        let rest = UnsafeRawBufferPointer(
            rebasing: window[(passedOn - start) * spec.bytesPerFrame..<(end - start) * spec.bytesPerFrame])
        if passedOn > start, !rest.isEmpty {
            window.baseAddress!.copyMemory(from: rest.baseAddress!, byteCount: rest.count)
        }
        return isComplete
    }
}

extension FragmentStamp {
    /// The stamp of the same fragment without its first frames.
    func later(by frames: Int, in spec: SampleSpec) -> FragmentStamp {
        var stamp = self
        stamp.hostTime += spec.nanoseconds(frames)
        return stamp
    }
}
