import TestSupport
import Testing

@testable import ACCAudioRecorder

/// Frames get the times at which they were captured, whatever the server states.
@Suite struct CaptureTimesTests {
    private static let rate = 48_000
    private static let fragment = 1_920

    /// When the first frame of a stream was captured, in seconds.
    private static let start = 1_000.0

    /// The fragments of a stream that loses nothing.
    ///
    /// - Parameters:
    ///   - delivery: How long a fragment takes from its end to its arrival.
    ///   - error: By how much its stated capture time is too late.
    private func stamps(
        seconds: Double, sourceLatency: Double? = nil, delivery: (Double) -> Double = { _ in 0.002 },
        error: (Double) -> Double = { _ in 0 }
    ) -> [FragmentStamp] {
        (0..<Int(seconds * Double(Self.rate)) / Self.fragment).map { index in
            let time = Double(index * Self.fragment) / Double(Self.rate)
            let end = time + Double(Self.fragment) / Double(Self.rate)
            return FragmentStamp(
                byteCount: Self.fragment * 4, hostTime: UInt64((Self.start + time + error(time)) * 1e9),
                sourceLatency: sourceLatency.map { Int64($0 * 1e9) },
                arrivalTime: UInt64((Self.start + end + delivery(time)) * 1e9))
        }
    }

    private func times(_ stamps: [FragmentStamp]) -> (told: [Double], settled: CaptureTimes) {
        var times = CaptureTimes(AudioSource.made("source", rate: UInt32(Self.rate)).sampleSpec)
        var told: [Double] = []
        for stamp in stamps {
            let before = times.seconds
            times.add(stamp, isLate: false)
            told.append(Double(times.time(after: before)) * 1e-9 - before - Self.start)
        }
        return (told, times)
    }

    @Test("Stated times that wander do not move the times that are told", arguments: [1, 2, 3])
    func wandering(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var wander = 0.0
        let (told, _) = times(
            stamps(
                seconds: 60, delivery: { _ in Double.random(in: 0.002...0.013, using: &random) },
                error: { _ in
                    wander = min(max(wander + Double.random(in: -0.005...0.005, using: &random), -0.01), 0.01)
                    return wander
                }))
        let late = told.dropFirst(250)
        #expect(late.allSatisfy { abs($0) < 0.01 }, "\(late.min()!) to \(late.max()!)")
        #expect(zip(late, late.dropFirst()).allSatisfy { abs($0 - $1) < 0.002 })
    }

    @Test(
        "A stream that states its first seconds too early is told right by the first report",
        arguments: [-0.165, -0.344, -0.742], [0.5, 1, 1.5])
    func earlyStart(error: Double, length: Double) {
        let (told, settled) = times(stamps(seconds: 10, error: { $0 < length ? error : 0 }))
        #expect(abs(told[0]) < 0.035)
        #expect(told.allSatisfy { $0 > -0.11 })
        #expect(abs(Double(settled.time(after: 0)) * 1e-9 - Self.start) < 0.001)
    }

    @Test("What a source keeps before it delivers is stated by itself, and counts at once", arguments: [0, 0.02, 0.15])
    func sourceLatency(latency: Double) {
        let (told, _) = times(
            stamps(seconds: 3, sourceLatency: latency, delivery: { _ in latency }, error: { _ in 0.03 }))
        #expect(told.allSatisfy { abs($0) < 1e-6 })
    }

    @Test("Late fragments tell nothing, and missing audio counts")
    func latenessAndLosses() {
        var times = CaptureTimes(AudioSource.made("source", rate: UInt32(Self.rate)).sampleSpec)
        let all = stamps(seconds: 20)
        for stamp in all[..<250] { times.add(stamp, isLate: false) }
        for stamp in all[250..<300] {
            var late = stamp
            late.arrivalTime += 500_000_000
            times.add(late, isLate: true)
        }
        #expect(abs(Double(times.time(after: 0)) * 1e-9 - Self.start) < 0.001)
        times.skip(0.04 * 50)
        for stamp in all[350...] { times.add(stamp, isLate: false) }
        #expect(abs(Double(times.time(after: 0)) * 1e-9 - Self.start) < 0.001)
    }

    @Test("Silence in place of a gap lasts as long as its frames do at the rate of the recording")
    func silenceOfAGap() {
        var clock = CaptureClock(outputRate: 48_000)
        clock.beginStretch(inputRate: 44_100)
        clock.append(44_100, hostTime: 1_000_000_000)
        clock.advance(by: 48_000)
        clock.advance(bySilence: 24_000)
        #expect(clock.endHostTime == 2_500_000_000)
    }

    @Test("The clock of a source that drifts is followed", arguments: [-500.0, 500])
    func drift(ppm: Double) {
        var last = 0.0
        let (told, _) = times(
            stamps(
                seconds: 600, delivery: { 0.002 + $0 * ppm * 1e-6 },
                error: {
                    last = $0 * ppm * 1e-6
                    return last
                }))
        #expect(abs(told.last! - last) < 0.005)
    }

    @Test("Fragments that arrive at once after a delay do not tell when they were captured")
    func burst() {
        let even = stamps(seconds: 0.28)
        var times = CaptureTimes(AudioSource.made("source", rate: UInt32(Self.rate)).sampleSpec)
        let isEven = times.lookAhead(at: even[...])
        #expect(isEven)
        let burst = even.map { stamp in
            var late = stamp
            late.arrivalTime = even.last!.arrivalTime
            return late
        }
        times = CaptureTimes(AudioSource.made("source", rate: UInt32(Self.rate)).sampleSpec)
        let isBurstEven = times.lookAhead(at: burst[...])
        #expect(!isBurstEven)
    }
}
