/// Finds stretches that follow themselves to the last bit, as a buffer that was delivered twice.
///
/// No natural signal does that. One that is periodic, such as a test tone, does so without end, and is left alone.
///
/// At places that depend on the samples alone, one of 64, the last eight samples are looked up in a table of earlier places.
/// Where they are found, both stretches are compared.
struct Repetitions {
    private typealias Vector = SIMD8<UInt32>

    /// The shortest stretch: 2 ms. A period of 2 ms and more is no test tone above 500 Hz.
    private static let leastSeconds = 0.002
    /// What is longer than so many times its distance is periodic.
    private static let mostTimes = 8
    /// The samples that are looked up.
    private static let keyFrames = 8
    private static let tableSize = 1_024

    /// Two stretches that are the same so far.
    private struct Match {
        let distance: Int
        let start: Int
    }

    /// A place that was looked up. The frame is counted modulo 2^32.
    private struct Entry {
        var key: UInt32 = 0
        var frame: UInt32 = 0
    }

    private let leastFrames: Int
    /// The places of one channel after another.
    private var table: [Entry]
    private var matches: [Match?]
    private var repetitions: Episode

    /// - Parameter second: One second in frames.
    init(channelCount: Int, second: Int) {
        leastFrames = max(Int(Double(second) * Self.leastSeconds), 2 * Self.keyFrames)
        table = Array(repeating: Entry(), count: Self.tableSize * channelCount)
        matches = Array(repeating: nil, count: channelCount)
        repetitions = Episode(.repetition, patience: second)
    }

    /// Examines the samples that a channel has got.
    ///
    /// - Parameters:
    ///   - start: The frame of the first one.
    ///   - history: How many samples before can be read, and belong to the same stretch.
    mutating func examine(
        _ samples: UnsafePointer<Float>, count: Int, channel: Int, from start: Int, history: Int,
        list: inout FindingList
    ) {
        var first = 0
        if let match = matches[channel] {
            first = Self.firstDifference(samples, count: count, distance: match.distance)
            guard first < count else { return }
            matches[channel] = nil
            finish(match, at: start + first, channel: channel, list: &list)
        }
        guard history >= 2 * Self.keyFrames else { return }
        samples.withMemoryRebound(to: UInt32.self, capacity: count) { bits in
            var index = first
            while index < count {
                guard let place = Self.nextPlace(bits, from: index, to: count) else { return }
                index = place + 1
                guard let match = look(bits, place, start: start, history: history, channel: channel) else { continue }
                let end = place + Self.firstDifference(samples + place, count: count - place, distance: match.distance)
                if end == count {
                    matches[channel] = match
                    return
                }
                finish(match, at: start + end, channel: channel, list: &list)
                index = max(index, end)
            }
        }
    }

    /// Gives what is complete by a frame.
    mutating func close(before frame: Int, list: inout FindingList) { repetitions.close(before: frame, to: &list) }

    /// Gives the rest.
    mutating func finish(list: inout FindingList) { repetitions.finish(to: &list) }

    /// Forgets the signal before, which does not continue.
    mutating func restart() {
        for channel in matches.indices { matches[channel] = nil }
    }

    /// The first place to look up from an index on.
    private static func nextPlace(_ bits: UnsafePointer<UInt32>, from first: Int, to count: Int) -> Int? {
        var index = first
        while index &+ Vector.scalarCount <= count {
            let bytes = UnsafeRawPointer(bits + index)
            var hash = bytes.loadUnaligned(as: Vector.self)
            hash ^= bytes.loadUnaligned(fromByteOffset: -4, as: Vector.self) &<< 5
            // Marsaglia's xorshift.
            hash ^= hash &<< 13
            hash ^= hash &>> 17
            hash ^= hash &<< 5
            // Below zero where a hash is that of a place. Vectors of integers have no fast comparison.
            let places = ((hash & hashMask) ^ hashMark) &- 1
            let four = places.lowHalf | places.highHalf
            if (four[0] | four[1] | four[2] | four[3]) >> 31 != 0 { break }
            index &+= Vector.scalarCount
        }
        while index < count {
            var hash = bits[index] ^ bits[index &- 1] &<< 5
            hash ^= hash &<< 13
            hash ^= hash &>> 17
            hash ^= hash &<< 5
            if hash & hashMask == hashMark { return index }
            index &+= 1
        }
        return nil
    }

    /// One of 64 hashes is that of a place. That of digital silence is not.
    private static let hashMask: UInt32 = 0xFC0
    private static let hashMark: UInt32 = 0xA40

    /// Looks a place up, and enters it.
    private mutating func look(
        _ bits: UnsafePointer<UInt32>, _ place: Int, start: Int, history: Int, channel: Int
    ) -> Match? {
        var key: UInt32 = 2_166_136_261
        var index = place &- Self.keyFrames
        while index < place {
            index &+= 1
            key = (key ^ bits[index]) &* 16_777_619
        }
        let slot = channel &* Self.tableSize &+ Int((key ^ key &>> 15) & UInt32(Self.tableSize - 1))
        let (entry, frame) = (table[slot], UInt32(truncatingIfNeeded: start + place))
        table[slot] = Entry(key: key, frame: frame)
        guard entry.key == key else { return nil }
        let distance = Int(frame &- entry.frame)
        guard distance >= leastFrames, distance + Self.keyFrames <= history else { return nil }
        var length = 0
        let most = history + place - distance
        while length < most, bits[place - length] == bits[place - length - distance] { length += 1 }
        guard length >= Self.keyFrames else { return nil }
        return Match(distance: distance, start: start + place - length + 1)
    }

    private mutating func finish(_ match: Match, at end: Int, channel: Int, list: inout FindingList) {
        let length = end - match.start
        guard length >= leastFrames, length >= match.distance, length <= Self.mostTimes * match.distance else { return }
        repetitions.add(match.start..<end, channel: channel, value: Double(length), isSum: true, to: &list)
    }

    /// The first sample that differs from the one at a distance before it.
    private static func firstDifference(_ samples: UnsafePointer<Float>, count: Int, distance: Int) -> Int {
        var index = 0
        while index < count, samples[index] == samples[index - distance] { index += 1 }
        return index
    }
}
