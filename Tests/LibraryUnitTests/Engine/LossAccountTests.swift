import TestSupport
import Testing

@testable import ACCAudioRecorder

/// Whatever is lost, and however it lies, is reported by a recorder: one by one, or as a sum.
@Suite(.tags(.skipsThreadSanitizer, .skipsAddressSanitizer)) struct LossAccountTests {
    @Test(
        "The sum of a series of losses is right, whatever its lengths and distances",
        arguments: [0.01, 0.03, 0.12, 0.2, 0.5], [0.1, 0.3, 0.4, 0.5, 1.02, 2, 5])
    func series(length: Double, distance: Double) async throws {
        var delivery = SimulatedDelivery(seed: 1)
        var random = SplitMix64(seed: 1)
        delivery.loseSeries(of: length, from: 5, apart: distance...distance, using: &random)
        try await delivery.expectAccounted()
    }

    @Test(
        "Each loss of a series is found at its place, however soon it follows another one",
        arguments: [0.03, 0.12, 0.5], [0.1, 0.4, 1.02, 2])
    func places(length: Double, distance: Double) async throws {
        var random = SplitMix64(seed: 5)
        var delivery = SimulatedDelivery(seed: 5)
        delivery.loseSeries(of: length, from: 5, apart: distance...distance, using: &random)
        try await delivery.expectFoundInPlace()
    }

    @Test(
        "What the server drops while the reader is stopped is found at its place, however much it keeps",
        arguments: [0.05, 0.5, 8], [0.2, 3, 20])
    func stop(lost: Double, queue: Double) async throws {
        var delivery = SimulatedDelivery(seed: 6)
        delivery.stop(.init(time: 8, length: queue + lost + delivery.fragment / 2), keeping: queue)
        delivery.length = 20 + queue + lost
        try await delivery.expectFoundInPlace()
    }

    /// In the first fragment nothing could be compared with, and in the last second and a half the audio may just be late,
    /// for which `GapDetector` asks the stated latency.
    @Test(
        "A single loss is reported wherever it lies: at the start, in the middle, right after another, near the end",
        arguments: [0.03, 0.06, 0.107, 0.3, 1, 2], [0.1, 0.3, 0.5, 1, 7, 19.7, 28])
    func single(length: Double, time: Double) async throws {
        var delivery = SimulatedDelivery(seed: 2)
        delivery.losses = [.init(time: time, length: length)]
        delivery.length = 30 + length
        try await delivery.expectAccounted()
        delivery.losses.insert(.init(time: time / 2, length: 0.2), at: 0)
        try await delivery.expectAccounted()
    }

    @Test(
        "A drift of the clocks is no loss, nor is a change of the drift",
        arguments: [-500.0, -300, -100, 0, 100, 300, 500])
    func drift(ppm: Double) async throws {
        var delivery = SimulatedDelivery(seed: 3)
        delivery.length = 3_600
        delivery.drift(by: ppm)
        #expect(try await DeliveryAccount(delivery).reported == 0)
        delivery.drift(by: ppm, stepping: 300)
        #expect(try await DeliveryAccount(delivery).reported == 0)
    }

    @Test("A series of losses is found beside a drift", arguments: [-500.0, 500])
    func seriesBesideDrift(ppm: Double) async throws {
        var delivery = SimulatedDelivery(seed: 4)
        delivery.drift(by: ppm)
        var random = SplitMix64(seed: 4)
        delivery.loseSeries(of: 0.12, times: 40, from: 100, apart: 0.28...0.28, using: &random)
        try await delivery.expectAccounted()
    }

    @Test("Deliveries that become later or earlier when clients come and go are no loss", arguments: [1, 2, 3])
    func clients(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        var delivery = SimulatedDelivery(seed: seed)
        delivery.length = 1_200
        delivery.letClientsComeAndGo(every: 0.5...40, using: &random)
        #expect(try await DeliveryAccount(delivery).reported == 0)
    }

    @Test(
        "Clients that come and go for hours, beside a drift, do not add up to a loss",
        arguments: [-500.0, 0, 500], [0.5...10, 0.5...40])
    func clientsBesideDrift(ppm: Double, distances: ClosedRange<Double>) async throws {
        var random = SplitMix64(seed: 1)
        var delivery = SimulatedDelivery(seed: 1)
        delivery.length = 2 * 3_600
        delivery.drift(by: ppm)
        delivery.letClientsComeAndGo(every: distances, using: &random)
        #expect(try await DeliveryAccount(delivery).reported == 0)
    }

    @Test(
        "A shortfall of another stream of the same clock is reported where the lags have grown by half of it, and once",
        arguments: [0, 0.009, 0.011, 0.02])
    func sharedShortfall(lost: Double) {
        var account = LossAccount(SimulatedLane.spec)
        var time = 100.0
        func add(_ count: Int) -> [LossAccount.Shortfall] {
            (0..<count).compactMap { _ in
                time += 0.04
                return account.add(FragmentStamp(byteCount: 320, arrivalTime: UInt64(time * 1e9)))
            }
        }
        #expect(add(500).isEmpty)
        time += lost
        #expect(add(200).isEmpty)
        account.confirm(0.02)
        #expect(add(1).map(\.seconds) == (lost > 0.01 ? [0.02] : []))
        #expect(add(1_000).isEmpty)
        time += 0.03
        let later = add(1_000).map(\.seconds)
        #expect(later.count == 1 && abs(later[0] - 0.03 - (lost > 0.01 ? 0 : lost)) < 0.004, "\(later)")
    }

    @Test("Deliveries that became earlier by any time hide 45 ms of a later loss at most")
    func lossAfterAnAdvance() {
        var account = LossAccount(SimulatedLane.spec)
        var time = 100.0
        func add(_ count: Int) -> Double {
            (0..<count).compactMap { _ in
                time += 0.04
                return account.add(FragmentStamp(byteCount: 320, arrivalTime: UInt64(time * 1e9)))?.seconds
            }.reduce(0, +)
        }
        #expect(add(500) == 0)
        time -= 0.2
        #expect(add(500) == 0)
        time += 0.3
        let found = add(1_000)
        #expect((0.25...0.3).contains(found), "\(found)")
    }

    @Test("A machine that is late now and then loses nothing", arguments: [1, 2, 3])
    func lateness(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        var delivery = SimulatedDelivery(seed: seed)
        delivery.length = 600
        delivery.jitter = 0.02
        delivery.stall(times: 60, using: &random)
        #expect(try await DeliveryAccount(delivery).reported == 0)
    }

    /// What such a server states of itself is wrong, too.
    @Test(
        "What a starving server delivers late by seconds is no loss, and what is lost beside it is reported",
        arguments: [1, 2, 3], [10.0, 60])
    func starvation(seed: UInt64, length: Double) async throws {
        var delivery = SimulatedDelivery(seed: seed)
        delivery.length = 300
        delivery.starvations = [20, 150].map { .init(time: $0, length: length) }
        let inexactness = DeliveryStamps.starvedError.most * Double(delivery.starvations.count)
        let late = try await DeliveryAccount(delivery)
        #expect((0...inexactness).contains(late.reported), "\(late.gaps) \(late.sums)")
        delivery.losses = [10, 40, 100, 120, 160, 250].map { .init(time: $0, length: 0.5) }
        try await delivery.expectAccounted(to: inexactness)
    }
}

extension SimulatedDelivery {
    /// Expects what is reported to be what is lost, to 1 % and 30 ms, and so many seconds more.
    fileprivate func expectAccounted(
        to inexactness: Double = 0, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let account = try await DeliveryAccount(self)
        #expect(
            account.isRight(to: inexactness),
            "\(account.reported) s of \(account.lost) s in \(account.gaps.count) gaps and \(account.sums.count) sums",
            sourceLocation: sourceLocation)
    }

    /// Expects a gap for each loss, within two fragments of its place and with its length.
    fileprivate func expectFoundInPlace(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let account = try await DeliveryAccount(self)
        try #require(account.gaps.count == account.losses.count, sourceLocation: sourceLocation)
        for (gap, loss) in zip(account.gaps, account.losses) {
            #expect(abs(gap.frame - loss.frame) <= 2 * fragmentFrames, sourceLocation: sourceLocation)
            #expect(abs(gap.seconds - loss.seconds) < 0.01, sourceLocation: sourceLocation)
        }
    }
}
