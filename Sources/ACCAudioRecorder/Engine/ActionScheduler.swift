import Synchronization

/// An action at a given time of a recording, in all its branches.
struct TimelineAction {
    enum Kind {
        /// Set a marker.
        case marker(RecordingMarker)
        /// Tell subscribers where frames are missing, and mark it in files if that is asked for.
        case gap(RecordingGap, isMarked: Bool)
        /// Name what changed samples.
        case processing(ProcessingStep)
        /// Continue in new files, whose first frame was captured at this time, in CLOCK_MONOTONIC nanoseconds.
        /// `serverProcessing` holds the server's processing steps for the files before it.
        case newFile(hostTime: UInt64, serverProcessing: [ProcessingStep])
    }

    let kind: Kind
    /// The time in the recording, in seconds.
    let seconds: Double

    /// Whether it changes nothing but what is said of a file.
    var isMarker: Bool {
        switch kind {
        case .marker, .gap, .processing: true
        case .newFile: false
        }
    }
}

/// A user's request for an action at the frame captured at a given time.
struct ActionRequest: Sendable {
    enum Kind: Sendable {
        /// Set a marker; without a label, its number is used.
        case marker(label: String?)
        /// Continue in new files.
        case newFiles
    }

    let kind: Kind
    /// The time in CLOCK_MONOTONIC nanoseconds.
    let hostTime: UInt64

    var isMarker: Bool {
        if case .marker = kind { true } else { false }
    }
}

/// The requests that are not assigned to a frame yet. Any thread may call.
final class ActionRequests: Sendable {
    private let waiting = Mutex<[ActionRequest]>([])
    /// Lets the engine skip the lock if there are no requests.
    private let count = Atomic<Int>(0)

    func add(_ request: ActionRequest) {
        waiting.withLock { waiting in
            waiting.append(request)
            count.store(waiting.count, ordering: .relaxed)
        }
    }

    /// Removes and returns the requests made before this time, in CLOCK_MONOTONIC nanoseconds, in order.
    ///
    /// - Parameter isWanted: Selects the requests.
    func remove(before hostTime: UInt64, where isWanted: (ActionRequest) -> Bool = { _ in true }) -> [ActionRequest] {
        guard count.load(ordering: .relaxed) > 0 else { return [] }
        return waiting.withLock { waiting in
            let isDue = { (request: ActionRequest) in request.hostTime < hostTime && isWanted(request) }
            let due = waiting.filter(isDue)
            waiting.removeAll(where: isDue)
            count.store(waiting.count, ordering: .relaxed)
            return due
        }
    }
}

/// Assigns markers and cuts to frames of the recording: those that users request, and the cuts of a splitting policy.
struct ActionScheduler {
    /// A block of frames of the recording.
    struct Block {
        var frames: Range<Int>
        /// When the first frame was captured, in CLOCK_MONOTONIC nanoseconds.
        var hostTime: UInt64
    }

    private let sampleRate: Double
    private let requests: ActionRequests
    private var cutSchedule: CutSchedule?
    /// The maximum file size in bytes.
    private let fileSize: Int?
    private var markerCount = 0
    /// The markers of the recording itself, at frames that are not recorded yet.
    private var ownMarkers: [(label: String, frame: Int)] = []
    /// The time of the last cut in seconds.
    private var lastCut: Double?

    /// - Parameter sampleRate: The recording's sample rate in Hz.
    init(_ requests: ActionRequests, _ policy: SplittingPolicy, sampleRate: Int) {
        self.requests = requests
        self.sampleRate = Double(sampleRate)
        fileSize = policy.fileSize
        cutSchedule = CutSchedule(policy, sampleRate: sampleRate)
    }

    /// Schedules a marker of the recording itself, such as where a sound begins, at a frame that is not recorded yet.
    mutating func schedule(_ label: String, at frame: Int) {
        ownMarkers.append((label, frame))
    }

    /// The actions up to the end of the next block of the recording, which no branch has recorded yet.
    ///
    /// - Parameter serverProcessing: Returns the server's processing steps so far.
    mutating func actions(
        in block: Block, for branches: [Branch], serverProcessing: () -> [ProcessingStep]
    ) -> [TimelineAction] {
        var actions: [TimelineAction] = []
        func cut(at frame: Int) {
            if let cut = self.cut(at: frame, in: block, of: branches, serverProcessing) { actions.append(cut) }
        }
        while let (label, frame) = ownMarkers.first, frame < block.frames.upperBound {
            ownMarkers.removeFirst()
            actions.append(marker(label, at: frame))
        }
        for request in requests.remove(before: block.hostTime + nanoseconds(block.frames.count)) {
            let frame = self.frame(at: request.hostTime, in: block)
            switch request.kind {
            case .marker(let label): actions.append(marker(label, at: frame))
            case .newFiles: cut(at: frame)
            }
        }
        while let frame = cutSchedule?.nextCut(in: block.frames, hostTime: block.hostTime) { cut(at: frame) }
        if let fileSize, actions.allSatisfy(\.isMarker), !branches.contains(where: \.hasPendingCut),
            let latest = branches.compactMap({ $0.latestCut(within: fileSize) }).min(),
            Int(latest * sampleRate) < block.frames.upperBound
        {
            cut(at: max(Int(latest * sampleRate), block.frames.lowerBound))
        }
        return actions
    }

    /// The markers that were requested but not placed yet, placed after the last frame.
    mutating func markers(afterFrame frame: Int) -> [TimelineAction] {
        let own = ownMarkers.map { marker($0.label, at: min($0.frame, frame)) }
        ownMarkers = []
        return own
            + requests.remove(before: .max, where: \.isMarker).compactMap { request in
                guard case .marker(let label) = request.kind else { return nil }
                return marker(label, at: frame)
            }
    }

    private mutating func marker(_ label: String?, at frame: Int) -> TimelineAction {
        markerCount += 1
        let marker = RecordingMarker(
            number: markerCount, frame: frame, offset: .frames(frame, at: sampleRate), label: label ?? "\(markerCount)")
        return TimelineAction(kind: .marker(marker), seconds: Double(frame) / sampleRate)
    }

    /// A cut at the same instant in all outputs, none of which may be past it. Nil if an output would get an empty file
    /// between it and the previous cut.
    private mutating func cut(
        at frame: Int, in block: Block, of branches: [Branch], _ serverProcessing: () -> [ProcessingStep]
    ) -> TimelineAction? {
        let start = branches.map { $0.firstCut(ofRate: Int(sampleRate)) }.reduce(frame, max)
        let seconds = Double(start) / sampleRate
        if let lastCut, branches.contains(where: { $0.hasEmptyFile(from: lastCut, to: seconds) }) { return nil }
        lastCut = seconds
        let hostTime = block.hostTime + nanoseconds(start - block.frames.lowerBound)
        return TimelineAction(
            kind: .newFile(hostTime: hostTime, serverProcessing: serverProcessing()), seconds: seconds)
    }

    private func frame(at hostTime: UInt64, in block: Block) -> Int {
        let seconds = Double(Int64(bitPattern: hostTime &- block.hostTime)) * 1e-9
        let offset = Int((seconds * sampleRate).rounded(.down))
        return block.frames.lowerBound + min(max(offset, 0), block.frames.count - 1)
    }

    private func nanoseconds(_ frames: Int) -> UInt64 {
        UInt64(Double(frames) / sampleRate * 1e9)
    }
}

/// Computes the frames at which a recording continues in new files, by its length or by local time.
struct CutSchedule {
    private let interval: Double
    private let isByClock: Bool
    private let sampleRate: Int
    /// The number of the current interval, by the length of the recording.
    private var count = 1
    /// After which time the next interval begins, by local time, in CLOCK_MONOTONIC nanoseconds; nil before the first frame.
    private var lastHostTime: UInt64?

    /// What is no interval of its own, in nanoseconds: half a second.
    private static let nearby: UInt64 = 500_000_000

    /// Nil if the policy has no interval.
    init?(_ policy: SplittingPolicy, sampleRate: Int) {
        guard let interval = policy.interval else { return nil }
        self.interval = interval.seconds
        isByClock = policy.isByClock
        self.sampleRate = sampleRate
    }

    /// The next cut among these frames; nil if there is none.
    ///
    /// - Parameter hostTime: When the first of them was captured.
    mutating func nextCut(in frames: Range<Int>, hostTime: UInt64) -> Int? {
        isByClock ? nextCutByClock(in: frames, hostTime: hostTime) : nextCutByLength(in: frames)
    }

    private mutating func nextCutByLength(in frames: Range<Int>) -> Int? {
        let place = (Double(count) * interval * Double(sampleRate)).rounded()
        guard place < Double(frames.upperBound) else { return nil }
        count += 1
        return max(Int(place), frames.lowerBound)
    }

    private mutating func nextCutByClock(in frames: Range<Int>, hostTime: UInt64) -> Int? {
        // A recording that begins just before an interval does not get a file for these moments: the first file may have
        // the name of that interval already, because it exists before its first frame arrives.
        let last = lastHostTime ?? hostTime + Self.nearby
        lastHostTime = last
        // Asked for each time, because the clock may be set.
        let next = WallClock.nextMultiple(of: interval, after: last)
        let offset = Double(Int64(bitPattern: next &- hostTime)) * 1e-9 * Double(sampleRate)
        guard offset.rounded(.up) < Double(frames.count) else { return nil }
        // The two clocks are not read at exactly the same time, so an interval that has just begun may seem to lie
        // ahead.
        lastHostTime = max(next + Self.nearby, hostTime)
        return frames.lowerBound + max(Int(offset.rounded(.up)), 0)
    }
}
