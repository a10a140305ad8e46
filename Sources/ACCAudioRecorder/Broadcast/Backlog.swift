/// What is sent to subscribers.
protocol Subscribable: Sendable {
    /// The number of frames of audio; 0 for what is none.
    var frameCount: Int { get }
    /// The length of the audio in seconds; 0 for what is none.
    var seconds: Double { get }
    /// The number of dropped frames that the value reports; nil if it reports none.
    var droppedFrames: Int? { get }
    /// The value that reports dropped frames; nil if they are not reported.
    static func dropped(_ frames: Int) -> Self?
}

extension Subscribable {
    var frameCount: Int { 0 }
    var seconds: Double { 0 }
    var droppedFrames: Int? { nil }
    static func dropped(_ frames: Int) -> Self? { nil }
}

/// The values that a subscriber has not read yet. Audio is limited by its length, other values by their number.
struct Backlog<Value: Subscribable> {
    private var values: ArraySlice<Value> = []
    /// The length of the audio among the values, and the number of the others.
    private var (seconds, otherCount) = (0.0, 0)
    /// The most values that are no audio; of more, the oldest are dropped.
    private let mostOthers: Int

    init(mostOthers: Int = 1) {
        self.mostOthers = mostOthers
    }

    /// Whether a value is audio for which there is no room within this length of seconds. There is always room for one.
    func isFull(for value: Value, within limit: Double) -> Bool {
        // A microsecond for rounding errors.
        value.seconds > 0 && seconds > 0 && seconds + value.seconds > limit + 1e-6
    }

    /// Removes and returns the oldest value.
    mutating func popFirst() -> Value? {
        guard let value = values.popFirst() else { return nil }
        discount(value)
        return value
    }

    /// Appends a value, in place of the oldest audio if there is no room for it.
    mutating func append(_ value: Value, within limit: Double) {
        while isFull(for: value, within: limit), let index = values.firstIndex(where: { $0.seconds > 0 }) {
            let oldest = values.remove(at: index)
            discount(oldest)
            noteDropped(oldest, at: index)
        }
        count(value)
        values.append(value)
        limitOthers()
    }

    /// Drops a value, and appends a note of it.
    mutating func drop(_ value: Value) {
        noteDropped(value, at: values.endIndex)
        limitOthers()
    }

    /// Reports dropped frames in their place.
    private mutating func noteDropped(_ value: Value, at index: Int) {
        let before = index > values.startIndex ? values[index - 1].droppedFrames : nil
        guard let note = Value.dropped(value.frameCount + (before ?? 0)) else { return }
        if before != nil {
            values[index - 1] = note
        } else {
            count(note)
            values.insert(note, at: index)
        }
    }

    private mutating func limitOthers() {
        while otherCount > mostOthers, let index = values.firstIndex(where: { $0.seconds == 0 }) {
            discount(values.remove(at: index))
        }
    }

    private mutating func count(_ value: Value) {
        seconds += value.seconds
        if value.seconds == 0 { otherCount += 1 }
    }

    /// Takes a removed value out of the sums.
    private mutating func discount(_ value: Value) {
        seconds -= value.seconds
        if value.seconds == 0 { otherCount -= 1 }
        // The sum keeps no rounding errors.
        if values.count == otherCount { seconds = 0 }
    }
}
