/// The audio that a recording begins with although it is from before its start: what its ring holds by then.
struct PreRoll: Sendable {
    /// What started a recording.
    enum Trigger: Sendable {
        /// The user, at this time in CLOCK_MONOTONIC nanoseconds.
        case time(UInt64)
        /// A sound that begins with this frame, counted from the first of the fragment at this position of the ring.
        case sound(position: Int, frame: Int)
        /// Nothing: the recording is what the ring holds.
        case none
    }

    /// The longest that is kept, in seconds.
    static let longest = 600.0

    /// How late the newest audio may be, in seconds. Where it is later, the source has stalled, and what comes next was
    /// captured after the trigger.
    private static let longestDelay = 0.25

    /// Its length in seconds, if there is as much.
    let seconds: Double
    let trigger: Trigger

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
        let present = frames(of: stamps[...], spec)
        switch trigger {
        case .none:
            return beginning(before: present, spec)
        case .sound(let position, let frame):
            let index = min(max(position - ring.position, 0), stamps.count)
            return beginning(before: max(frames(of: stamps[..<index], spec) + frame, 0), spec)
        case .time(let trigger):
            // A source that is suspended, say, delivers nothing up to the trigger.
            guard let last = stamps.last ?? nil else { return beginning(before: present, spec) }
            let lastFrames = last.byteCount / spec.bytesPerFrame
            // By the newest stamp, because that of the trigger's frame has not arrived yet.
            let elapsed = Double(Int64(bitPattern: trigger &- last.hostTime)) * Double(spec.sampleRate) / 1e9
            guard elapsed < Double(lastFrames) + Self.longestDelay * Double(spec.sampleRate) else {
                return beginning(before: present, spec)
            }
            return beginning(before: max(present - lastFrames + Int(elapsed.rounded(.up)), 0), spec)
        }
    }

    private func frames(of stamps: ArraySlice<FragmentStamp?>, _ spec: SampleSpec) -> Int {
        stamps.reduce(0) { $0 + ($1?.byteCount ?? 0) / spec.bytesPerFrame }
    }

    private func beginning(before triggerFrame: Int, _ spec: SampleSpec) -> Beginning {
        let kept = min(triggerFrame, Int((seconds * Double(spec.sampleRate)).rounded()))
        return Beginning(skipped: triggerFrame - kept, kept: kept)
    }

    /// When the first frame of the recording was captured, roughly, in CLOCK_MONOTONIC nanoseconds.
    func startTime(in ring: CaptureRing, _ spec: SampleSpec) -> UInt64 {
        let first = (0..<ring.count).lazy.compactMap { ring.item($0).stamp }.first
        let trigger: UInt64
        switch self.trigger {
        case .time(let time): trigger = time
        case .none: trigger = MonotonicClock.now()
        case .sound(let position, let frame):
            let stamp = ring.heldPositions.contains(position) ? ring.item(position - ring.position).stamp : nil
            let time = Double(stamp?.hostTime ?? MonotonicClock.now()) + Double(frame) / Double(spec.sampleRate) * 1e9
            trigger = UInt64(max(time, 0))
        }
        let earliest = trigger - min(UInt64(seconds * 1e9), trigger)
        return first.map { max($0.hostTime, earliest) } ?? trigger
    }
}
