import ACCAudioRecorder

/// Creates level events at a fixed interval, and clipping events at most once a second.
struct LevelEvents {
    /// In seconds; nil for no level events.
    private let interval: Double?
    private var levels: [ChannelLevel] = []
    private var lastTime = 0.0
    private var clippedCount = 0
    private var lastClippedTime = -Double.infinity

    private static let clippedInterval = 1.0

    /// - Parameter interval: The interval of level events, in seconds of the take; nil for none.
    init(interval: Double?) {
        self.interval = interval
    }

    /// Adds the levels of a buffer.
    ///
    /// - Parameter frame: The current number of recorded frames.
    /// - Returns: The events that are due.
    mutating func process(_ new: RecordingLevels, frame: Int) -> [EventRecord] {
        var records: [EventRecord] = []
        if levels.count != new.channels.count { levels = new.channels } else { add(new.channels) }
        if let interval, new.timestamp - lastTime >= interval {
            records.append(EventRecord(.level(levels), frame: frame))
            lastTime = new.timestamp
            levels = []
        }
        if new.totalClippedCount > clippedCount, new.timestamp - lastClippedTime >= Self.clippedInterval {
            lastClippedTime = new.timestamp
            clippedCount = new.totalClippedCount
            records.append(EventRecord(.clipped(clippedCount), frame: frame))
        }
        return records
    }

    private mutating func add(_ new: [ChannelLevel]) {
        for index in levels.indices { levels[index].add(new[index]) }
    }
}
