/// What was measured of one subject, over all of its turns.
struct Figure: Encodable {
    /// What was done.
    let benchmark: String
    /// Who did it, or of what.
    let subject: String
    /// What the values count.
    let unit: String
    let median: Double
    let lowest: Double
    let highest: Double

    init(_ benchmark: String, _ subject: String, unit: String, values: [Double]) {
        let sorted = values.sorted()
        self.benchmark = benchmark
        self.subject = subject
        self.unit = unit
        median = (sorted[sorted.count / 2] + sorted[(sorted.count - 1) / 2]) / 2
        lowest = sorted[0]
        highest = sorted[sorted.count - 1]
    }
}
