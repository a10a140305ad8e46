import TestSupport

/// What is reported as missing in hours in which nothing is.
struct Hours: Encodable {
    let condition: String
    let hours: Double
    /// How many gaps and sums were reported.
    let falseGaps: Int

    private init(_ condition: String, hours: Double = 10, _ change: (inout SimulatedDelivery, inout SplitMix64) -> Void)
        async throws
    {
        var random = SplitMix64(seed: 1)
        var delivery = SimulatedDelivery(seed: 1)
        delivery.length = hours * 3_600
        change(&delivery, &random)
        let account = try await DeliveryAccount(delivery)
        self.condition = condition
        self.hours = hours
        falseGaps = account.gaps.count + account.sums.count
    }

    static func all() async throws -> [Hours] {
        [
            try await Hours("a drift of 500 ppm") { delivery, _ in delivery.drift(by: 500) },
            try await Hours("a drift of −500 ppm") { delivery, _ in delivery.drift(by: -500) },
            try await Hours("steps of the drift by 200 ppm every 5 minutes") { delivery, _ in
                delivery.drift(by: 300, stepping: 300)
            },
            try await Hours("a drift of 500 ppm and a jitter of 20 ms") { delivery, _ in
                delivery.drift(by: 500)
                delivery.jitter = 0.02
            },
            try await Hours("a drift of 500 ppm, and clients that come and go") { delivery, random in
                delivery.drift(by: 500)
                delivery.letClientsComeAndGo(every: 0.5...40, using: &random)
            },
            try await Hours("a drift of −500 ppm, and clients that come and go") { delivery, random in
                delivery.drift(by: -500)
                delivery.letClientsComeAndGo(every: 0.5...10, using: &random)
            },
            try await Hours("a recorder that is stopped 6 times a minute", hours: 1) { delivery, random in
                delivery.stall(times: 360, using: &random)
            },
        ]
    }
}
