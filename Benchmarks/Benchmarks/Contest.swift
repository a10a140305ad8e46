/// Several ways to do the same, which take turns, so that what else the machine does is the same for all.
///
/// A turn repeats the work for some milliseconds; its result is the mean.
struct Contest {
    private let benchmark: String
    private let turns: Int
    private var subjects: [(name: String, work: () throws -> Void)] = []

    private static let turnLength = Duration.milliseconds(5)

    init(_ benchmark: String, turns: Int) {
        self.benchmark = benchmark
        self.turns = turns
    }

    /// Adds a subject. Its work has to have an effect, or the compiler leaves it out.
    mutating func add(_ name: String, _ work: @escaping () throws -> Void) {
        subjects.append((name, work))
    }

    /// How long the work takes, in a unit of so many nanoseconds.
    func run(unit: String, nanoseconds: Double) throws -> [Figure] {
        let repetitions = try subjects.map { try count(for: $0.work) }
        var values = subjects.map { _ in [Double]() }
        for _ in 0..<turns {
            for (index, subject) in subjects.enumerated() {
                let length = try time(subject.work, repetitions[index])
                values[index].append(length / .nanoseconds(1) / Double(repetitions[index]) / nanoseconds)
            }
        }
        return zip(subjects, values).map { Figure(benchmark, $0.name, unit: unit, values: $1) }
    }

    private func count(for work: () throws -> Void) throws -> Int {
        var count = 1
        while try time(work, count) < Self.turnLength { count *= 2 }
        return count
    }

    private func time(_ work: () throws -> Void, _ repetitions: Int) rethrows -> Duration {
        try ContinuousClock().measure { for _ in 0..<repetitions { try work() } }
    }
}
