@testable import ACCAudioRecorder

/// What an intake reports of a simulated delivery, beside what is lost in it.
struct DeliveryAccount {
    /// Missing audio at a place.
    struct Gap {
        /// The number of frames before it.
        var frame: Int
        var seconds: Double
    }

    /// What is lost.
    private(set) var losses: [Gap] = []
    /// What was found one by one.
    private(set) var gaps: [Gap] = []
    /// What was found as a sum, in seconds.
    private(set) var sums: [Double] = []

    /// All that is lost, and all that is reported as missing, in seconds.
    var lost: Double { losses.reduce(0) { $0 + $1.seconds } }
    var reported: Double { gaps.reduce(0) { $0 + $1.seconds } + sums.reduce(0, +) }

    /// Whether what is reported is what is lost, to 1 % and 30 ms.
    var isRight: Bool { abs(reported - lost) <= lost / 100 + 0.03 }

    init(_ delivery: SimulatedDelivery) {
        let (stamps, places) = delivery.fragments()
        losses = zip(places, delivery.losses).map { .init(frame: $0, seconds: $1.length) }
        let spec = SampleSpec(format: .s16LE, sampleRate: Int(SimulatedDelivery.rate), channelCount: 2)
        var intake = Intake(
            AudioSource(name: "simulated", sampleSpec: spec), fragmentFrames: delivery.fragmentFrames)
        var frame = 0
        for index in stamps.indices {
            var decisions: [Intake.Decision]?
            while decisions == nil {
                decisions = intake.decide(
                    .fragment(stamps[index]), upcoming: stamps[index...].prefix(intake.lookahead))
            }
            for decision in decisions ?? [] {
                switch decision {
                case .record(let frames, _): frame += frames.count
                case .gap(let seconds, _): gaps.append(.init(frame: frame, seconds: seconds))
                case .missing(let shortfall): sums.append(shortfall.seconds)
                case .flow, .partMissing: break
                }
            }
        }
        if let shortfall = intake.close() { sums.append(shortfall.seconds) }
    }
}
