import Testing

@testable import ACCAudioRecorder

/// Each rule by which the line of stated lags stays at its level: without the rule, its test fails.
@Suite(.tags(.skipsThreadSanitizer, .skipsAddressSanitizer)) struct StatedLineTests {
    /// By how many seconds what is stated is too much at a time, for each of a few lags in turn.
    private typealias Levels = @Sendable (Double) -> [Double]

    /// As PulseAudio states: most at one level, others 10 ms higher.
    private static let usual: Levels = { _ in [0, 0, 0.01] }

    /// A line of 25 lags a second, of a clock that is 100 ppm slow.
    private struct Stated {
        private static let drift = 100e-6
        private static let noise = 0.0002
        var line = StatedLine()
        private var time = 0.0
        private var number = 0

        /// - Returns: The line's error in milliseconds, at the end of each second; nil where there is no line yet.
        mutating func run(until end: Double, _ levels: Levels = usual) -> [Double?] {
            var errors: [Double?] = []
            while time < end {
                for lag in 0..<25 {
                    let time = time + Double(lag) / 25
                    let levels = levels(time)
                    number += 1
                    let noise = Self.noise * Double(number * 7 % 11) / 11
                    line.add(LagPoint(time: time, lag: Self.drift * time + levels[number % levels.count] + noise))
                }
                time += 1
                line.endSecond(at: time)
                errors.append(
                    line.point.map {
                        ($0.lag(at: time, drift: line.drift) - Self.drift * time - Self.noise / 2) * 1_000
                    })
            }
            return errors
        }
    }

    /// Expects errors of at most so many milliseconds.
    private func expect(_ errors: some Sequence<Double?>, within limit: Double = 0.05, of error: Double = 0) {
        let worst = errors.map { abs(($0 ?? .infinity) - error) }.max() ?? .infinity
        #expect(worst < limit, "\(Array(errors))")
    }

    @Test("The line is at the fullest level after a second, and stays there")
    func steady() {
        var stated = Stated()
        expect(stated.run(until: 1), within: 0.2)
        _ = stated.run(until: 3)
        expect(stated.run(until: 300))
    }

    @Test("In its first seconds it goes to a level that turns out to be fuller")
    func beginning() {
        var stated = Stated()
        expect(stated.run(until: 5) { _ in [0.01] }.suffix(3), of: 10)
        expect(stated.run(until: 60).dropFirst(2))
    }

    @Test("A level on which it began by mistake is left once another one has been fuller for ten seconds")
    func mistakenBeginning() {
        var stated = Stated()
        expect(stated.run(until: 12) { _ in [0.01, 0.01, 0] }.suffix(3), of: 10)
        expect(stated.run(until: 20).suffix(3), of: 10)
        expect(stated.run(until: 60).dropFirst(8))
        // A moment in which another one is fuller.
        expect(stated.run(until: 69) { _ in [0.01, 0.01, 0] })
        expect(stated.run(until: 72))
        expect(stated.run(until: 81) { _ in [0.01, 0.01, 0] })
    }

    @Test("It begins where a fragment comes once a second, from the lags of three seconds")
    func rareLags() {
        var line = StatedLine()
        for second in 1...3 {
            line.add(LagPoint(time: Double(second) - 0.5, lag: 0.02))
            line.endSecond(at: Double(second))
        }
        #expect(line.point?.lag == 0.02)
    }

    @Test("It never drifts faster than a clock")
    func drift() {
        var stated = Stated()
        _ = stated.run(until: 8) { [0.0006 * $0] }
        #expect(stated.line.drift <= 600e-6)
    }

    @Test(
        "Where nothing is stated near it, it goes on as it was before the pattern began, by the drift of half a minute")
    func away() {
        var stated = Stated()
        _ = stated.run(until: 60)
        // What it follows of the pattern at first.
        _ = stated.run(until: 65) { [0.0001 * ($0 - 60)] }
        expect(stated.run(until: 85) { _ in [0.02] })
        expect(stated.run(until: 100))
        _ = stated.run(until: 110) { [0.0001 * ($0 - 100)] }
        expect(stated.run(until: 125) { _ in [0.02] }, within: 0.3)
        expect(stated.run(until: 140), within: 0.1)
    }

    @Test("What it followed of a pattern is forgotten when it is back")
    func awayAgain() {
        var stated = Stated()
        _ = stated.run(until: 60)
        _ = stated.run(until: 65) { [0.0001 * ($0 - 60)] }
        _ = stated.run(until: 70) { _ in [0.02] }
        _ = stated.run(until: 77)
        expect(stated.run(until: 97) { _ in [0.02] })
    }

    @Test("A few lags that come near it by chance do not lead it away")
    func byChance() {
        var stated = Stated()
        _ = stated.run(until: 60)
        expect(stated.run(until: 75) { [0.0001 * ($0 - 60), 0.02, 0.03, 0.04, 0.05] })
    }

    @Test("A pattern like a clock's is followed, and left as soon as lags are where they were half a minute ago")
    func slowPattern() {
        var stated = Stated()
        _ = stated.run(until: 60)
        expect(stated.run(until: 75) { [0.0002 * ($0 - 60)] }, within: 3.1)
        expect(stated.run(until: 100).dropFirst(5))
    }

    @Test("A clock that has changed shortly before lags were away for a moment is followed when they are back")
    func changedClock() {
        var stated = Stated()
        let changed = { @Sendable (time: Double) in -0.0002 * max(time - 6, 0) }
        _ = stated.run(until: 16) { [changed($0), changed($0), changed($0) + 0.01] }
        _ = stated.run(until: 18) { [changed($0) + 0.0056] }
        let back = stated.run(until: 45) { [changed($0), changed($0), changed($0) + 0.01] }
        let errors = zip(18..., back).map { second, error in error.map { $0 - changed(Double(second) + 1) * 1_000 } }
        expect(errors.dropFirst(4), within: 0.3)
    }

    @Test("Two seconds near a former line do not bring the line back")
    func brieflyBack() {
        var stated = Stated()
        _ = stated.run(until: 60)
        _ = stated.run(until: 75) { [0.0002 * ($0 - 60)] }
        _ = stated.run(until: 85) { _ in [0.003] }
        let away = stated.run(until: 88) { _ in [0.02] } + stated.run(until: 90) + stated.run(until: 95) { _ in [0.02] }
        #expect(away.allSatisfy { $0 ?? 0 > 1 }, "\(away)")
    }

    @Test("A level is given up once it has been away for half a minute, and not before")
    func lastingStep() {
        var stated = Stated()
        _ = stated.run(until: 60)
        expect(stated.run(until: 88) { _ in [0.02] })
        expect(stated.run(until: 120) { _ in [0.02] }.dropFirst(2), of: 20)
    }

    @Test("After an interruption it begins where the lags are then")
    func interruption() {
        var stated = Stated()
        _ = stated.run(until: 60)
        stated.line.interrupt()
        #expect(stated.line.point == nil)
        expect(stated.run(until: 90) { _ in [0.3] }, within: 0.2, of: 300)
    }
}
