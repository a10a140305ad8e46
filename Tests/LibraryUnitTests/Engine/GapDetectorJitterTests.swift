import Foundation
import TestSupport
import Testing

@testable import ACCAudioRecorder

/// Realistic arrivals: with clock drift, jitter, and occasional or constant delays.
// The detector has one thread and no pointers.
@Suite(.tags(.lengthy, .skipsThreadSanitizer, .skipsAddressSanitizer)) struct GapDetectorJitterTests {
    /// A stream of fragments and their arrivals; all times in seconds.
    private struct Delivery: Sequence, IteratorProtocol {
        var fragment = 0.04
        /// The server delivers blocks of this length.
        var block = 0.04
        var length: Double
        /// The relative drift of the server's clock; positive if it is slow.
        var drift = 0.0
        /// The mean lateness of a fragment.
        var jitter = 0.001
        /// The mean time that the reader waits for the processor.
        var wait = 0.0
        /// In every other quarter of a minute another client is absent, and the server takes this much longer.
        var shift = 0.0
        /// How much is lost after every half minute.
        var loss = 0.0

        private var number = 0
        private var lastTime = 0.0
        private var nextTurn = 0.0
        private var random = UInt64(1)

        init(length: Double) {
            self.length = length
        }

        mutating func next() -> FragmentStamp? {
            number += 1
            let end = Double(number) * fragment
            guard end < length else { return nil }
            let lost = loss * (end / 30).rounded(.down)
            var time = (((end + lost) / block) - 1e-9).rounded(.up) * block * (1 + drift) + late(jitter)
            if Int(end / 15) % 2 == 1 { time += shift }
            // Everything available is read at once.
            if time > nextTurn { nextTurn = time + late(wait) }
            lastTime = Swift.max(nextTurn, lastTime + 0.000_02)
            return FragmentStamp(
                byteCount: Int((fragment * 48_000).rounded()) * 4, arrivalTime: UInt64((lastTime + 10) * 1e9))
        }

        /// An exponentially distributed delay.
        private mutating func late(_ mean: Double) -> Double {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return -mean * log(1 - Double(random >> 11) / Double(UInt64(1) << 53))
        }
    }

    /// The detected gaps.
    private func gaps(in delivery: Delivery) -> [(time: Double, seconds: Double)] {
        let spec = SampleSpec(format: .s16LE, sampleRate: 48_000, channelCount: 2)
        var detector = GapDetector(spec, fragmentFrames: Int((delivery.fragment * 48_000).rounded()))
        var arrivals = delivery
        var found: [(Double, Double)] = []
        // Fragments that were already looked at remain in the upper part of the array.
        var waiting: [FragmentStamp] = []
        var first = 0
        var number = 0
        while true {
            if waiting.count == first, let stamp = arrivals.next() { waiting.append(stamp) }
            guard first < waiting.count else { return found }
            var judgement: GapDetector.Judgement
            repeat {
                while waiting.count - first < detector.lookahead, let stamp = arrivals.next() { waiting.append(stamp) }
                judgement = detector.judge(waiting[first...].prefix(detector.lookahead))
            } while judgement == .undecided
            if case .loss(let loss) = judgement {
                let place = Double(number) * delivery.fragment + Double(loss.offset) / 48_000
                found.append((place, loss.seconds))
            }
            detector.add(waiting[first])
            number += 1
            first += 1
            if first == 4_096 {
                waiting.removeFirst(first)
                first = 0
            }
        }
    }

    @Test("Clock drift causes no gap in twelve hours", arguments: [-0.000_3, 0.000_3])
    func driftIsNoGap(drift: Double) {
        var delivery = Delivery(length: 12 * 3_600)
        delivery.drift = drift
        #expect(gaps(in: delivery).isEmpty)
    }

    @Test(
        "A loss of 0.1 s is always detected, at the exact fragment", arguments: [-0.000_3, 0.000_3],
        [(0.04, 0.06), (0.04, 0.04), (0.04, 0.021_333), (0.02, 0.02), (0.01, 0.01)])
    func everyLossIsFound(drift: Double, form: (fragment: Double, block: Double)) {
        let count = 60
        var delivery = Delivery(length: 30 * Double(count + 1))
        (delivery.fragment, delivery.block) = form
        delivery.drift = drift
        delivery.loss = 0.1
        let found = gaps(in: delivery)
        #expect(found.count == count)
        for (index, gap) in found.enumerated() {
            #expect(abs(gap.time - Double(30 * (index + 1))) < form.fragment + 0.000_1)
            // A server can only deliver whole blocks, so the measured length of a loss varies.
            #expect(abs(gap.seconds - 0.1) < form.block / 2 + 0.01)
        }
    }

    @Test(
        "Neither minutes of high load nor another client that comes and goes cause a gap",
        arguments: [0, 0.005, 0.02, 0.05, 0.1], [(0.04, 0.06), (0.04, 0.04), (0.02, 0.02), (0.01, 0.021_333)])
    func loadIsNoGap(wait: Double, form: (fragment: Double, block: Double)) {
        var delivery = Delivery(length: 600)
        (delivery.fragment, delivery.block) = form
        delivery.wait = wait
        delivery.shift = 0.04
        let found = gaps(in: delivery)
        #expect(found.isEmpty, "\(found)")
    }
}
