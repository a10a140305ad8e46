/// A lane of a group: it joins others while they run, may take the reference's place, and is not mixed as long as it is alone.
extension Lane {
    /// Begins again with the next item, as at first.
    ///
    /// - Parameters:
    ///   - beginning: The first place that it may have. The reference begins there.
    ///   - origin: The place of the reference's first frame, in frames.
    func join(at beginning: Int, origin: Int, asReference isReference: Bool) {
        forgetTimes()
        place.begin(at: origin, after: 0, by: isReference ? nil : LaneClock())
        output.restart(at: beginning)
    }

    private func forgetTimes() {
        pending = []
        input.restart()
        place.restart(as: inputSpec)
        output.restart()
    }

    /// Carries the recording's time on in place of a lane that is away, whose clock it shares.
    ///
    /// - Returns: Whether it can.
    func takeOver(from old: Lane) -> Bool {
        guard place.sharesClock, !isQuiet, !output.isBroken, let end, let arrivals = old.arrivals else { return false }
        place.takeOver(arrivals, at: end)
        old.forgetTimes()
        return true
    }

    /// Compares its clock with the reference's: that of a sink to which both play.
    func compareClock(with reference: Lane) {
        let (sink, other) = (input.latestSink(), reference.input.latestSink())
        let shares = sink != nil && sink == other
        // PulseAudio breaks a stream that moves, what it has delivered before may still wait.
        guard shares != place.sharesClock, !place.isReference, output.isBroken || input.isOnPipeWire else { return }
        place.sharesClock = shares
        output.breakOff()
    }

    /// Takes what happened before the next fragment, while it is not mixed.
    func takeEvents() { input.takeEvents() }

    /// Takes the next item as it is, while it is not mixed.
    ///
    /// - Returns: Whether there was one, or the end.
    func relay(_ body: (CaptureItem, UnsafeRawBufferPointer) -> Void) -> Bool {
        guard let ring else { return false }
        guard ring.count > 0 else { return input.endIfClosed() }
        ring.remove { item, bytes in
            input.note(item)
            body(item, bytes)
        }
        return true
    }
}
