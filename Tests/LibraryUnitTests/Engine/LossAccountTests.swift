import TestSupport
import Testing

@testable import ACCAudioRecorder

/// Whatever is lost, and however it lies, is reported by the intake: one by one, or as a sum.
@Suite(.tags(.skipsThreadSanitizer, .skipsAddressSanitizer)) struct LossAccountTests {
    @Test(
        "The sum of a series of losses is right, whatever its lengths and distances",
        arguments: [0.01, 0.03, 0.12, 0.2, 0.5], [0.1, 0.3, 0.4, 0.5, 1.02, 2, 5])
    func series(length: Double, distance: Double) {
        var delivery = SimulatedDelivery(seed: 1)
        delivery.losses = (0..<24).map { .init(time: 5 + Double($0) * (distance + length), length: length) }
        delivery.length = delivery.losses.last!.time + 12
        delivery.expectAccounted()
    }

    /// In the first fragment nothing could be compared with, and in the last second and a half the audio may just be late,
    /// for which `GapDetector` asks the stated latency.
    @Test(
        "A single loss is reported wherever it lies: at the start, in the middle, right after another, near the end",
        arguments: [0.03, 0.06, 0.107, 0.3, 1, 2], [0.1, 0.3, 0.5, 1, 7, 19.7, 28])
    func single(length: Double, time: Double) {
        var delivery = SimulatedDelivery(seed: 2)
        delivery.losses = [.init(time: time, length: length)]
        delivery.length = 30 + length
        delivery.expectAccounted()
        delivery.losses.insert(.init(time: time / 2, length: 0.2), at: 0)
        delivery.expectAccounted()
    }

    @Test(
        "A drift of the clocks is no loss, nor is a change of the drift",
        arguments: [-500.0, -300, -100, 0, 100, 300, 500])
    func drift(ppm: Double) {
        var delivery = SimulatedDelivery(seed: 3)
        delivery.length = 3_600
        delivery.drift = { _ in ppm * 1e-6 }
        #expect(delivery.reported().seconds == 0)
        // Steps of 200 ppm every five minutes.
        delivery.drift = { max(-500, min(500, ppm + (Int($0 / 300).isMultiple(of: 2) ? 0 : 200))) * 1e-6 }
        #expect(delivery.reported().seconds == 0)
    }

    @Test("A series of losses is found beside a drift", arguments: [-500.0, 500])
    func seriesBesideDrift(ppm: Double) {
        var delivery = SimulatedDelivery(seed: 4)
        delivery.drift = { _ in ppm * 1e-6 }
        delivery.losses = (0..<40).map { .init(time: 100 + Double($0) * 0.4, length: 0.12) }
        delivery.length = 200
        delivery.expectAccounted()
    }

    @Test("Deliveries that become later or earlier when clients come and go are no loss", arguments: [1, 2, 3])
    func clients(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var delivery = SimulatedDelivery(seed: seed)
        delivery.length = 1_200
        var time = 3.0
        while time < delivery.length {
            delivery.changes.append(.init(time: time, latency: .random(in: 0...0.041, using: &random)))
            time += .random(in: 0.5...40, using: &random)
        }
        #expect(delivery.reported().seconds == 0)
    }

    @Test("A machine that is late now and then loses nothing", arguments: [1, 2, 3])
    func lateness(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var delivery = SimulatedDelivery(seed: seed)
        delivery.length = 600
        delivery.jitter = 0.02
        delivery.stalls = (0..<60).map { _ in
            .init(time: .random(in: 1...595, using: &random), length: .random(in: 0.05...3, using: &random))
        }
        #expect(delivery.reported().seconds == 0)
    }
}
