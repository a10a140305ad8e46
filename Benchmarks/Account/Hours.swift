import TestSupport

/// What is reported as missing in hours in which nothing is.
struct Hours: Encodable {
    let condition: String
    let hours: Double
    /// How many gaps and sums were reported.
    let falseGaps: Int

    private init(_ condition: String, hours: Double = 10, _ change: (inout SimulatedDelivery, inout SplitMix64) -> Void)
    {
        var random = SplitMix64(seed: 1)
        var delivery = SimulatedDelivery(seed: 1)
        delivery.length = hours * 3_600
        change(&delivery, &random)
        let account = DeliveryAccount(delivery)
        self.condition = condition
        self.hours = hours
        falseGaps = account.gaps.count + account.sums.count
    }

    static func all() -> [Hours] {
        [
            Hours("a drift of 500 ppm") { delivery, _ in delivery.drift(by: 500) },
            Hours("a drift of −500 ppm") { delivery, _ in delivery.drift(by: -500) },
            Hours("steps of the drift by 200 ppm every 5 minutes") { delivery, _ in
                delivery.drift(by: 300, stepping: 300)
            },
            Hours("a drift of 500 ppm and a jitter of 20 ms") { delivery, _ in
                delivery.drift(by: 500)
                delivery.jitter = 0.02
            },
            Hours("a drift of 500 ppm, and clients that come and go") { delivery, random in
                delivery.drift(by: 500)
                delivery.letClientsComeAndGo(every: 0.5...40, using: &random)
            },
            Hours("a drift of −500 ppm, and clients that come and go") { delivery, random in
                delivery.drift(by: -500)
                delivery.letClientsComeAndGo(every: 0.5...10, using: &random)
            },
            Hours("a recorder that is stopped 6 times a minute", hours: 1) { delivery, random in
                delivery.stall(times: 360, using: &random)
            },
        ]
    }
}
