/// A part of a recording in which a counter increases by one per frame.
struct CounterRun {
    /// Its position in the recording.
    let range: Range<Int>
    /// The counter at its first frame.
    let first: UInt32

    /// The difference between the counter and the position. If two runs have the same lead, the gap between them has
    /// the right length.
    var lead: Int { Int(first) - range.lowerBound }

    /// All runs in a recording; the rest is silence.
    static func all(in numbers: [UInt32]) -> [CounterRun] {
        var runs: [CounterRun] = []
        var start = 0
        for index in numbers.indices where index + 1 == numbers.count || numbers[index + 1] != numbers[index] &+ 1 {
            if numbers[index] != 0 { runs.append(CounterRun(range: start..<index + 1, first: numbers[start])) }
            start = index + 1
        }
        return runs
    }
}
