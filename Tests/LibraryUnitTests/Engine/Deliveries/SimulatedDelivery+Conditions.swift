import TestSupport

extension SimulatedDelivery {
    /// The largest drift of clocks, in parts per million.
    static let largestDrift = 500.0

    /// Lets the source's clock drift by so many parts per million, and by 200 more in every other interval of so many
    /// seconds.
    mutating func drift(by ppm: Double, stepping interval: Double = .infinity) {
        let other = min(ppm + 200, Self.largestDrift)
        drift = { (Int($0 / interval).isMultiple(of: 2) ? ppm : other) * 1e-6 }
    }

    /// Lets clients come and go every so many seconds. Deliveries become later or earlier by up to 41 ms.
    mutating func letClientsComeAndGo(every seconds: ClosedRange<Double>, using random: inout SplitMix64) {
        var time = 3.0
        while time < length {
            changes.append(.init(time: time, latency: .random(in: 0...0.041, using: &random)))
            time += .random(in: seconds, using: &random)
        }
    }

    /// Stalls so many times, in each of which the audio arrives up to three seconds late.
    mutating func stall(times count: Int, using random: inout SplitMix64) {
        stalls = (0..<count).map { _ in
            .init(time: .random(in: 1...length - 5, using: &random), length: .random(in: 0.05...3, using: &random))
        }
    }

    /// Loses so many times audio of a length in seconds, from a time on, with distances between the losses.
    mutating func loseSeries(
        of length: Double, times count: Int = 24, from time: Double, apart: ClosedRange<Double>,
        using random: inout SplitMix64
    ) {
        var time = time
        for _ in 0..<count {
            losses.append(.init(time: time, length: length))
            time += length + .random(in: apart, using: &random)
        }
        self.length = time + 12
    }
}
