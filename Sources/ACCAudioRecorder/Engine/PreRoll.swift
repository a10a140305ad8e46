/// The audio that a recording begins with although it is from before its start: what its ring holds by then.
struct PreRoll: Sendable {
    /// What started a recording.
    enum Trigger: Sendable {
        /// The user, at this time in CLOCK_MONOTONIC nanoseconds.
        case time(UInt64)
        /// A sound that begins with this frame of the ring.
        case sound(CaptureRing.Place)
        /// Nothing: the recording is what the ring holds.
        case none
    }

    /// How late the newest audio may be, in seconds. Where it is later, the source has stalled, and what comes next was
    /// captured after the trigger.
    private static let longestDelay = 0.25

    /// Its length in seconds, if there is as much.
    let seconds: Double
    let trigger: Trigger
    /// The first frame that may be in the recording; nil for the first in the ring. Those before it are in another one.
    var earliest: CaptureRing.Place?

    /// The beginning of a recording in its ring.
    struct Beginning: Equatable {
        /// The number of frames in the ring before the first of the recording.
        var skipped = 0
        /// The number of frames of the recording before the one that was captured at the trigger.
        var kept = 0
    }

    /// The label of the marker at the trigger; nil without one.
    var label: String? {
        switch trigger {
        case .time: "trigger"
        case .sound: "sound"
        case .none: nil
        }
    }

    /// The beginning of a recording. Its first frames are in this ring.
    func beginning(in ring: CaptureRing, _ spec: SampleSpec) -> Beginning {
        let stamps = (0..<ring.count).map { ring.item($0).stamp }
        let present = Self.frames(of: stamps[...], spec)
        let framesBefore = { (place: CaptureRing.Place) in
            // The ring may not have it any more.
            guard place.position >= ring.position else { return 0 }
            let index = min(place.position - ring.position, stamps.count)
            return max(Self.frames(of: stamps[..<index], spec) + place.frame, 0)
        }
        let first = earliest.map(framesBefore) ?? 0
        switch trigger {
        case .none:
            return beginning(before: present, from: first, spec)
        case .sound(let place):
            return beginning(before: framesBefore(place), from: first, spec)
        case .time(let trigger):
            // A source that is suspended, say, delivers nothing up to the trigger.
            guard let last = stamps.last ?? nil else { return beginning(before: present, from: first, spec) }
            let lastFrames = last.byteCount / spec.bytesPerFrame
            // By the newest stamp, because that of the trigger's frame has not arrived yet.
            let elapsed = Double(Int64(bitPattern: trigger &- last.hostTime)) * spec.sampleRate / 1e9
            guard elapsed < Double(lastFrames) + Self.longestDelay * spec.sampleRate else {
                return beginning(before: present, from: first, spec)
            }
            return beginning(before: max(present - lastFrames + Int(elapsed.rounded(.up)), 0), from: first, spec)
        }
    }

    /// Removes the fragments that precede the recording from the ring.
    ///
    /// - Returns: The beginning of the recording in what is left.
    func begin(in ring: CaptureRing, _ spec: SampleSpec) -> Beginning {
        var beginning = beginning(in: ring, spec)
        while ring.count > 0 {
            let frames = Self.frames(of: [ring.item(0).stamp], spec)
            guard frames <= beginning.skipped else { break }
            beginning.skipped -= frames
            ring.remove { _, _ in }
        }
        return beginning
    }

    /// The length in seconds of what is there of it.
    func length(of beginning: Beginning, _ spec: SampleSpec) -> Double {
        let isWhole = beginning.kept == Int((seconds * spec.sampleRate).rounded())
        return isWhole ? seconds : Double(beginning.kept) / spec.sampleRate
    }

    private static func frames(of stamps: ArraySlice<FragmentStamp?>, _ spec: SampleSpec) -> Int {
        stamps.reduce(0) { $0 + ($1?.byteCount ?? 0) / spec.bytesPerFrame }
    }

    /// - Parameter first: The number of frames in the ring before the earliest of the recording.
    private func beginning(before trigger: Int, from first: Int, _ spec: SampleSpec) -> Beginning {
        let triggerFrame = max(trigger, first)
        let kept = min(triggerFrame - first, Int((seconds * spec.sampleRate).rounded()))
        return Beginning(skipped: triggerFrame - kept, kept: kept)
    }

    /// When the first frame of the recording was captured, roughly, in CLOCK_MONOTONIC nanoseconds.
    func startTime(in ring: CaptureRing, _ spec: SampleSpec) -> UInt64 {
        let time = { (place: CaptureRing.Place) -> UInt64? in
            guard ring.heldPositions.contains(place.position),
                let stamp = ring.item(place.position - ring.position).stamp
            else { return nil }
            return UInt64(max(Double(stamp.hostTime) + Double(place.frame) / spec.sampleRate * 1e9, 0))
        }
        let first = (0..<ring.count).lazy.compactMap { ring.item($0).stamp }.first?.hostTime
        let trigger: UInt64 =
            switch self.trigger {
            case .time(let time): time
            case .none: MonotonicClock.now()
            case .sound(let place): time(place) ?? MonotonicClock.now()
            }
        let begin = trigger - min(UInt64(seconds * 1e9), trigger)
        return first.map { max($0, earliest.flatMap(time) ?? 0, begin) } ?? trigger
    }
}
