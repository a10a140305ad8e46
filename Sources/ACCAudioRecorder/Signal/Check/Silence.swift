/// Finds digital silence: channels whose samples stay the same for three seconds, and such that never have another one.
struct Silence {
    /// From this length on a run is silence rather than a dropout or a pause between two words, in seconds.
    static let leastSeconds = 3
    /// A channel without any sound for this long is dead, in seconds.
    private static let deadSeconds = 10

    private let second: Int
    /// Where each channel became silent, if that was given.
    private var starts: [Int?]
    private var hadSound: [Bool]
    private var gaveDead = false

    /// - Parameter second: One second in frames.
    init(channelCount: Int, second: Int) {
        self.second = second
        starts = Array(repeating: nil, count: channelCount)
        hadSound = Array(repeating: false, count: channelCount)
    }

    /// Whether a channel was ever anything but constant.
    func hasSounded(_ channel: Int) -> Bool { hadSound[channel] }

    /// Takes what channels are doing at the end of a slot.
    ///
    /// - Parameter openRun: The first frame of the run of equal samples that a channel is in; nil while it sounds.
    mutating func update(at frame: Int, openRun: (Int) -> Int?, list: inout FindingList) {
        var (fallen, returned) = (ChannelSet(), ChannelSet())
        var (fallenAt, returnedAt) = (Int.max, Int.max)
        for channel in starts.indices {
            if let start = openRun(channel) {
                guard starts[channel] == nil, hadSound[channel] || start > 0 else { continue }
                hadSound[channel] = true
                guard frame - start >= Self.leastSeconds * second else { continue }
                starts[channel] = start
                fallen.insert(channel)
                fallenAt = min(fallenAt, start)
            } else {
                hadSound[channel] = true
                guard let start = starts[channel] else { continue }
                starts[channel] = nil
                returned.insert(channel)
                returnedAt = min(returnedAt, start)
            }
        }
        if !fallen.isEmpty { give(fallen, from: fallenAt, to: frame, isOngoing: true, list: &list) }
        if !returned.isEmpty { give(returned, from: returnedAt, to: frame, isOngoing: false, list: &list) }
        guard !gaveDead, frame >= Self.deadSeconds * second else { return }
        gaveDead = true
        giveDead(at: frame, isOngoing: true, list: &list)
    }

    /// Gives silence that lasts until the end, and channels that never had sound.
    mutating func finish(at frame: Int, list: inout FindingList) {
        var rest = ChannelSet()
        var start = Int.max
        for channel in starts.indices {
            guard let first = starts[channel] else { continue }
            rest.insert(channel)
            start = min(start, first)
        }
        if !rest.isEmpty { give(rest, from: start, to: frame, isOngoing: false, list: &list) }
        giveDead(at: frame, isOngoing: false, list: &list)
    }

    private func give(
        _ channels: ChannelSet, from start: Int, to frame: Int, isOngoing: Bool, list: inout FindingList
    ) {
        list.add(
            SignalFinding(
                .silence, channels: channels.numbers, frames: start..<frame, isOngoing: isOngoing,
                value: Double(frame - start) / Double(second)))
    }

    private func giveDead(at frame: Int, isOngoing: Bool, list: inout FindingList) {
        var dead = ChannelSet()
        for channel in hadSound.indices where !hadSound[channel] { dead.insert(channel) }
        guard !dead.isEmpty, frame > 0 else { return }
        list.add(
            SignalFinding(
                .dead, channels: dead.numbers, frames: 0..<frame, isOngoing: isOngoing,
                value: Double(frame) / Double(second)))
    }
}
