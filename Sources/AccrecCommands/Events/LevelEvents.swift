import ACCAudioRecorder

/// What is told of the levels of a take: how loud it is, now and then, and that it clips, once a second at most.
struct LevelEvents {
    /// In seconds; nil for never.
    private let interval: Double?
    private var levels: [ChannelLevel] = []
    private var lastTime = 0.0
    private var clippedCount = 0
    private var lastClippedTime = -Double.infinity

    private static let clippedInterval = 1.0

    /// - Parameter interval: How often levels are told, in seconds of the take; nil for never.
    init(interval: Double?) {
        self.interval = interval
    }

    /// Takes the levels of a buffer.
    ///
    /// - Parameter frame: How many frames there are by now.
    /// - Returns: What is to be told.
    mutating func take(_ new: RecordingLevels, frame: Int) -> [EventRecord] {
        var records: [EventRecord] = []
        if levels.count != new.channels.count { levels = new.channels } else { add(new.channels) }
        if let interval, new.timestamp - lastTime >= interval {
            var record = EventRecord("level", frame: frame)
            record.levels = levels.map(LevelRecord.init)
            records.append(record)
            lastTime = new.timestamp
            levels = []
        }
        if new.totalClippedCount > clippedCount, new.timestamp - lastClippedTime >= Self.clippedInterval {
            lastClippedTime = new.timestamp
            clippedCount = new.totalClippedCount
            var record = EventRecord("clipped", frame: frame)
            record.clipped = clippedCount
            records.append(record)
        }
        return records
    }

    private mutating func add(_ new: [ChannelLevel]) {
        for index in levels.indices { levels[index].add(new[index]) }
    }
}
