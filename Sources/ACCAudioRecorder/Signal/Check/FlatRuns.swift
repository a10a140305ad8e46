/// A run of at least three samples that are the same.
struct FlatRun {
    let value: Float
    /// Its frames.
    let frames: Range<Int>
}

/// Finds the runs of samples of one channel that are the same: what is clipped, lost or silent is such a run.
struct FlatRunScanner {
    /// The run that has not ended yet: its value and first frame.
    private(set) var open: (value: Float, start: Int)?

    /// Looks for runs that end in some samples.
    ///
    /// - Parameters:
    ///   - samples: With two samples before them that can be read.
    ///   - start: The frame of the first sample.
    ///   - runs: Where the runs are added that have ended.
    mutating func scan(_ samples: UnsafePointer<Float>, count: Int, from start: Int, into runs: inout [FlatRun]) {
        for index in 0..<count {
            let (now, last) = (samples[index], samples[index - 1])
            if let run = open {
                guard now != run.value else { continue }
                open = nil
                runs.append(FlatRun(value: run.value, frames: run.start..<start + index))
            } else if now == last, last == samples[index - 2] {
                open = (now, max(start + index - 2, 0))
            }
        }
    }

    /// Ends the run that is open, if there is one.
    mutating func finish(at end: Int) -> FlatRun? {
        defer { open = nil }
        return open.flatMap { $0.start < end ? FlatRun(value: $0.value, frames: $0.start..<end) : nil }
    }
}

/// Events of one kind that follow each other within a second, as one finding.
struct Episode {
    private let kind: SignalFinding.Kind
    /// The longest time from one event to the next, in frames.
    private let patience: Int
    private var finding: SignalFinding?
    private var channels = ChannelSet()

    /// - Parameter patience: The longest time from one event to the next, in frames.
    init(_ kind: SignalFinding.Kind, patience: Int) {
        (self.kind, self.patience) = (kind, patience)
    }

    /// Adds an event. The first one is given at once.
    ///
    /// - Parameters:
    ///   - value: What it adds to the finding's value.
    ///   - isSum: Whether values are added up; otherwise the highest one counts.
    mutating func add(
        _ frames: Range<Int>, channel: Int, value: Double, isSum: Bool, to list: inout FindingList
    ) {
        close(before: frames.lowerBound, to: &list)
        channels.insert(channel)
        if var known = finding {
            known.frames =
                min(known.frames.lowerBound, frames.lowerBound)..<max(known.frames.upperBound, frames.upperBound)
            known.count += 1
            known.value = isSum ? known.value + value : max(known.value, value)
            finding = known
        } else {
            let new = SignalFinding(kind, channels: channels.numbers, frames: frames, isOngoing: true, value: value)
            finding = new
            list.add(new)
        }
    }

    /// Gives the finding if its last event is long before this frame.
    mutating func close(before frame: Int, to list: inout FindingList) {
        guard let end = finding?.frames.upperBound, frame - end > patience else { return }
        finish(to: &list)
    }

    /// Gives the finding, if there is one.
    mutating func finish(to list: inout FindingList) {
        guard var known = finding else { return }
        known.isOngoing = false
        known.channels = channels.numbers
        list.add(known)
        (finding, channels) = (nil, ChannelSet())
    }
}
