@testable import ACCAudioRecorder

/// What a recorder reports of a simulated delivery, beside what is lost in it.
struct DeliveryAccount {
    /// Missing audio at a place.
    struct Gap {
        /// The number of recorded frames before it.
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

    /// Whether what is reported is what is lost, to 1 % and 30 ms, and so many seconds more.
    func isRight(to inexactness: Double = 0) -> Bool { abs(reported - lost) <= lost / 100 + 0.03 + inexactness }

    /// Records the delivery to its end.
    init(_ delivery: SimulatedDelivery) async throws {
        var lostFrames = 0
        for loss in delivery.losses {
            losses.append(.init(frame: SimulatedDelivery.frames(in: loss.time) - lostFrames, seconds: loss.length))
            lostFrames += SimulatedDelivery.frames(in: loss.length)
        }
        let recorder = ACCAudioRecorder(
            configuration: .init(
                sampleRate: SimulatedDelivery.rate, channelCount: 1, bufferSize: UInt32(delivery.fragmentFrames)),
            source: try delivery.source())
        try await recorder.startRecording()
        for gap in await recorder.finishRecording()?.gaps ?? [] {
            if gap.span > .zero {
                sums.append(gap.length / .seconds(1))
            } else {
                gaps.append(.init(frame: gap.position, seconds: gap.length / .seconds(1)))
            }
        }
    }
}
