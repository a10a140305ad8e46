/// The streams of one application, each a lane: they join and leave while the recording runs.
///
/// What the only lane that delivers has is relayed as it is: its bytes, its stamps, its holes and pauses. Whoever takes the
/// stream judges them as those of a source. As soon as there are two, they are mixed, and the one that was relayed is the
/// reference. A lane that has just been opened, or goes on after a pause, is waited for, so that no frame of it is late.
extension LaneMixer {
    struct Group {
        /// The lane that is relayed.
        var relayed: Lane?
        /// The place after the last frame of the stream, while nothing is mixed.
        var end = 0
        /// The place of the reference's first frame.
        var origin = 0
        /// Whether it is known that no stream plays if there is none.
        var mayBeEmpty = false
        /// Why nothing is delivered, as the stream says.
        var quietCause: SuspensionCause?
        /// Why the input of a lane has ended by itself, if one has.
        var failure: CaptureEnd?
    }

    /// Adds a lane for an input, which is in the format of the stream.
    func join(_ input: any CaptureInput, quality: ResamplerQuality) {
        let lane = Lane(
            number: timeline.addLane(channelCount: spec.channels), form: input.source.form, quality: quality)
        timeline.set(.notAtAll, forLane: lane.number)
        lane.open(input, as: input.source.form)
        lanes.append(lane)
        if reference != nil, let group { lane.join(at: timeline.passedOn, origin: group.origin, asReference: false) }
    }

    /// Relays, begins to mix or ends it, as lanes come and go.
    ///
    /// - Returns: Whether something was relayed.
    func arrangeGroup() throws(ACCAudioRecorderError) -> Bool {
        // Only now, because a stop is known by now that has ended it.
        if group?.relayed?.isQuiet == true { endRelay() }
        try arrangeMix()
        if reference == nil {
            for lane in lanes where lane !== group?.relayed { lane.takeEvents() }
        }
        removeEnded()
        if reference == nil { choose() }
        return group?.relayed.map { relay($0) } ?? false
    }

    private func choose() {
        let present = lanes.count { !$0.isAway }
        if let relayed = group?.relayed {
            // What it delivered before its end comes first.
            if present > 1, relayed.ring?.isClosed == false { mix(on: relayed) }
        } else if let first = lanes.first(where: { !$0.isAway && $0.isReady }) {
            if present > 1 { mix(on: first) } else { group?.relayed = first }
        } else if present == 0, !lanes.isEmpty || group?.mayBeEmpty == true {
            reportQuiet()
        }
    }

    /// Removes the lanes whose inputs have ended, once all of them was passed on.
    private func removeEnded() {
        lanes.removeAll { lane in
            guard lane.ring == nil, reference == nil || lane.end ?? .min <= timeline.passedOn else { return false }
            if let end = lane.takeEnd(), end != .stopped { group?.failure = end }
            timeline.removeLane(lane.number)
            return true
        }
    }
}

// MARK: - Relaying

extension LaneMixer {
    private func relay(_ lane: Lane) -> Bool {
        var hasTaken = false
        while !isComplete, !lane.isQuiet, writer.hasRoom(for: writer.ring.slotBytes),
            lane.relay({ item, bytes in relay(item, bytes) })
        {
            hasTaken = true
        }
        return hasTaken
    }

    private func relay(_ item: CaptureItem, _ bytes: UnsafeRawBufferPointer) {
        switch item {
        case .fragment(let stamp):
            if isSuspended { resumeStream() }
            let outcome = writer.write(bytes, stamp)
            isComplete = outcome.isComplete
            if !isComplete, outcome.byteCount < bytes.count { writer.drop(byteCount: bytes.count - outcome.byteCount) }
            group?.end += outcome.byteCount / spec.bytesPerFrame
        case .resumed(let earlierFrames): resumeStream(earlierFrames)
        case .suspended: break
        case .hole, .partMissing, .exhausted: writer.append(item)
        }
    }

    private func endRelay() {
        removeEnded()
        group?.relayed = nil
        reportQuiet()
    }

    private func resumeStream(_ earlierFrames: Int = 0) {
        writer.append(.resumed(earlierFrames: earlierFrames))
        isSuspended = false
        group?.quietCause = nil
    }

    /// Says that nothing is delivered any more, and why.
    private func reportQuiet() {
        let causes = lanes.map { $0.absence.flatMap { SuspensionCause($0) } ?? .applicationAbsent }
        let cause = causes.first { $0 == .applicationMoved } ?? causes.first ?? .applicationAbsent
        guard cause != group?.quietCause, group?.failure == nil, !isEnding else { return }
        suspend(cause)
        group?.quietCause = cause
    }
}

// MARK: - Mixing

extension LaneMixer {
    private func mix(on first: Lane) {
        let (wasRelayed, end) = (group?.relayed != nil, group?.end ?? 0)
        timeline.skip(to: end)
        for lane in lanes {
            lane.join(at: end, origin: end, asReference: lane === first)
            lane.compareClock(with: first)
        }
        group?.relayed = nil
        group?.origin = end
        reference = first
        start = nil
        // The times of what follows are those of the mix.
        if wasRelayed { writer.append(.resumed()) }
    }

    /// Lets another lane carry the time on while the reference is away, and ends the mix where a single lane is left.
    private func arrangeMix() throws(ACCAudioRecorderError) {
        guard let reference else { return }
        for lane in lanes { lane.compareClock(with: reference) }
        if reference.isQuiet, let next = lanes.first(where: { $0.takeOver(from: reference) }) { self.reference = next }
        let present = lanes.filter { !$0.isAway }
        let isQuiet = lanes.allSatisfy(\.isQuiet)
        if isQuiet {
            guard !lanes.contains(where: \.isReady) else { return }
            for lane in lanes { timeline.set(.notAtAll, forLane: lane.number) }
            try passOn()
        } else if present.count > 1 || !present[0].passesUnchanged || present[0].end != timeline.passedOn {
            return
        }
        guard timeline.isEmpty else { return }
        self.reference = nil
        group?.end = timeline.passedOn
        if isQuiet {
            reportQuiet()
        } else if !isSuspended {
            group?.relayed = present[0]
            writer.append(.resumed())
        }
    }
}

extension RecordingGap.Cause {
    /// Whether a stream of an application that lacks audio for this reason has lost it. What it has paused was never played.
    var isLossOfStream: Bool {
        switch self {
        case .interruption(.applicationMoved), .dropped, .overrun, .streamMissing: true
        default: false
        }
    }
}
