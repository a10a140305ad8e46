/// A part of a take in which a counter goes on by one, with no frame missing.
struct CounterRun {
    /// Where in the take it is.
    let range: Range<Int>
    /// The number of its first frame.
    let first: UInt32

    /// How far the counter is ahead of the take; the same in two runs between which the take is true to time.
    var lead: Int { Int(first) - range.lowerBound }

    /// All that there are in a take; the rest of it is silence.
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
