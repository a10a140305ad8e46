import TestSupport
import Testing

@testable import ACCAudioRecorder

/// A graph of PipeWire whose cycles change, and a server that is asked every two milliseconds while they are watched.
@Suite struct PulseCyclesTests {
    private static let millisecond = 1e-3

    /// A stream, its cycles and its fragments, in time order.
    private struct Graph {
        let spec: SampleSpec
        let graphRate = 48_000.0
        let ahead: Int
        let fragment: Int
        /// The cycle from each time on, in seconds and frames of the graph; every one that is announced a little before.
        let cycles: [(time: Double, frames: Int)]
        /// By how much questions are answered late, in seconds.
        var lateness: (Double) -> Double = { _ in 0 }
        /// When the program that records gets no processor, in seconds.
        var stop: Range<Double> = 0..<0
        /// Whether changes are announced.
        var isAnnounced = true

        /// Lags of fragments, less the length of all audio and corrected, with the times of their arrival, and by how much they
        /// arrived late.
        func lags(until end: Double) -> [(time: Double, lag: Double, delay: Double)] {
            var result: [(time: Double, lag: Double, delay: Double)] = []
            var watched = PulseCycles(spec, graphRate: graphRate, steadying: Double(ahead), fragmentFrames: fragment)
            // The graph: a cycle is delivered so many cycles before its end.
            var arrivals: [(time: Double, frames: Int64)] = []
            var (position, graphFrames) = (0.0, 0.0)
            while position < end {
                let cycle = Double(cycles.last { $0.time <= position }!.frames)
                graphFrames += cycle
                let seconds = cycle / graphRate
                let frames = Int64((graphFrames * spec.sampleRate / graphRate).rounded(.down))
                arrivals.append((position + seconds * Double(1 - ahead), frames))
                position += seconds
            }
            // What a longer cycle delivers sooner than what is before it waits for that.
            for index in arrivals.indices.dropFirst() {
                arrivals[index].time = max(arrivals[index].time, arrivals[index - 1].time)
            }
            let start = 1.0
            func nanoseconds(_ time: Double) -> UInt64 { UInt64((time + start) * 1e9) }
            // A change is noticed with the next fragment.
            var announced = cycles.map { $0.time - 0.04 }[...]
            var isToBeWatched = true
            var (next, number) = (0, Int64(1))
            var askedTime: Double?
            var waiting: [(end: Int64, time: Double, delay: Double)] = []
            for step in 0..<Int((end - 0.1) / 0.002) {
                let time = Double(step) * 0.002
                if stop.contains(time) { continue }
                if let change = announced.first, change <= time {
                    announced.removeFirst()
                    isToBeWatched = isToBeWatched || isAnnounced
                }
                while next < arrivals.count, arrivals[next].time <= time {
                    while arrivals[next].frames >= number * Int64(fragment) {
                        let arrivalTime = stop.contains(arrivals[next].time) ? time : arrivals[next].time
                        waiting.append((number * Int64(fragment), arrivalTime, arrivalTime - arrivals[next].time))
                        number += 1
                        if isToBeWatched { watched.watch(at: nanoseconds(time)) }
                        isToBeWatched = false
                    }
                    next += 1
                }
                if let askedTime {
                    let seen = askedTime - lateness(time)
                    let frames = arrivals[..<next].last { $0.time <= seen }?.frames ?? 0
                    watched.note(captured: frames, at: nanoseconds(time))
                }
                askedTime = watched.isWatched ? time : nil
                while let first = waiting.first {
                    let cycle = watched.cycle(
                        ofFragmentUntil: first.end, arrivedAt: nanoseconds(first.time), now: nanoseconds(time))
                    guard let cycle else { break }
                    let lead = Double(ahead) * cycle.length - cycle.wait
                    waiting.removeFirst()
                    let lag = first.time + lead - Double(first.end) / spec.sampleRate
                    result.append((first.time, lag, first.delay))
                }
            }
            return result
        }
    }

    private static func spec(_ rate: Int) -> SampleSpec {
        SampleSpec(format: .s16LE, sampleRate: Double(rate), channelCount: 2)
    }

    private static let changes = [(0.0, 2_048), (3, 256), (6, 2_048), (9, 512), (12, 1_024), (15, 2_048)]

    /// Fragments around a change may be late; none is early, because the earliest counts.
    ///
    /// - Parameter mostLate: How many others may be late.
    private func expectSteady(
        _ graph: Graph, besides changes: [Double], tolerance: Double = 0.1 * millisecond, mostLate: Int = 0
    ) {
        let lags = graph.lags(until: 18)
        let first = lags.first { $0.time > 1 }!.lag
        #expect(lags.count > 300)
        var late: [(time: Double, lag: Double)] = []
        for (time, lag, _) in lags {
            #expect(lag > first - tolerance, "\(lag - first) at \(time)")
            guard time > 1, !changes.contains(where: { $0 - 0.1..<$0 + 0.3 ~= time }) else { continue }
            if lag > first + tolerance { late.append((time, lag - first)) }
        }
        #expect(late.count <= mostLate, "\(late)")
    }

    @Test("A cycle that another client changes moves no fragment", arguments: [0, 1, 2], [2_048, 960, 1_764])
    func changedCycles(ahead: Int, fragment: Int) {
        let graph = Graph(spec: Self.spec(48_000), ahead: ahead, fragment: fragment, cycles: Self.changes)
        expectSteady(graph, besides: Self.changes.map(\.0))
    }

    @Test("A longer cycle that nobody has announced is seen by what arrives too early", arguments: [1, 2])
    func unannounced(ahead: Int) {
        let changes = [(0.0, 256), (6, 2_048)]
        let graph = Graph(
            spec: Self.spec(48_000), ahead: ahead, fragment: 2_048, cycles: changes, isAnnounced: false)
        expectSteady(graph, besides: changes.map(\.0))
    }

    // A fragment that ends within two frames of a cycle may be counted to the next one.
    @Test(
        "Cycles of a stream that the server resamples are known to a frame", arguments: [44_100, 96_000, 16_000, 8_000])
    func resampled(rate: Int) {
        let graph = Graph(
            spec: Self.spec(rate), ahead: 1, fragment: rate * 2_048 / 48_000 + 7, cycles: Self.changes)
        expectSteady(graph, besides: Self.changes.map(\.0), tolerance: 3 / Double(rate), mostLate: 6)
    }

    @Test("A server that answers late makes no fragment early")
    func lateAnswers() {
        var graph = Graph(spec: Self.spec(48_000), ahead: 1, fragment: 2_048, cycles: Self.changes)
        graph.lateness = { $0.truncatingRemainder(dividingBy: 0.5) < 0.1 ? 0.03 : 0 }
        expectSteady(graph, besides: Self.changes.map(\.0))
    }

    // It may be stopped at any moment while cycles are watched, and for any time.
    @Test(
        "A program that was stopped knows the cycles afterwards", arguments: [0.05, 0.2, 0.26, 0.6, 1.9, 3.3, 5],
        [2_048, 256])
    func stopped(length: Double, cycle: Int) {
        for begin in stride(from: 5.9, to: 7, by: 0.037) {
            let stop = begin..<begin + length
            var graph = Graph(
                spec: Self.spec(48_000), ahead: 1, fragment: 2_048, cycles: [(0.0, 2_048), (6, cycle)])
            graph.stop = stop
            let lags = graph.lags(until: 14)
            let first = lags.first { $0.time > 1 }!.lag
            let after = lags.filter { $0.time > stop.upperBound + 0.1 }
            #expect(after.count > 40)
            let wrong = after.filter { abs($0.lag - first) > 0.1 * Self.millisecond }
            #expect(wrong.isEmpty, "\(wrong.map { ($0.time, $0.lag - first) }) after \(stop)")
            // What has waited for the program is hardly later than by as much.
            let later = lags.filter { $0.time > 1 && $0.lag - first > $0.delay + 0.3 }
            #expect(later.isEmpty, "\(later.map { ($0.time, $0.lag - first - $0.delay) }) in \(stop)")
        }
    }

    @Test(
        "A fragment waited for the end of one cycle, where several were seen as one or before the first answer",
        arguments: [[3, 4], [1, 3, 4], [1, 2, 4, 5, 6], [0, 1, 2, 4, 5]])
    func mergedCycles(ends: [Int64]) {
        var cycles = PulseCycles(Self.spec(48_000), graphRate: 48_000, steadying: 1, fragmentFrames: 1_024)
        cycles.watch(at: 1)
        for end in ends { cycles.note(captured: 1_024 * end, at: 1 + UInt64(end) * 21_333_333) }
        for end in 1...ends.last! {
            #expect(cycles.cycle(ofFragmentUntil: 1_024 * end, arrivedAt: 1, now: 1)?.wait == 0, "\(end)")
        }
    }

    @Test("A server that takes long for each answer is not asked for ever", arguments: [0.01, 0.3, 1.1])
    func slowAnswers(interval: Double) {
        var cycles = PulseCycles(Self.spec(48_000), graphRate: 48_000, steadying: 1, fragmentFrames: 2_048)
        cycles.watch(at: 1)
        var count = 0
        while cycles.isWatched, count < 1_000 {
            count += 1
            let time = Double(count) * interval
            cycles.note(captured: Int64(time * 48_000), at: UInt64(time * 1e9))
        }
        #expect(Double(count) * interval < 8)
    }

    @Test("A fragment of unknown cycles waits for them, but not for long")
    func wait() {
        var cycles = PulseCycles(Self.spec(48_000), graphRate: 48_000, steadying: 1, fragmentFrames: 2_400)
        let start: UInt64 = 1_000_000_000
        func cycle(after seconds: Double) -> PulseCycles.Cycle? {
            cycles.cycle(ofFragmentUntil: 2_400, arrivedAt: start, now: start + UInt64(seconds * 1e9))
        }
        cycles.watch(at: start)
        #expect(cycle(after: 0) == nil && cycle(after: 0.149) == nil)
        #expect(cycle(after: 0.151) == PulseCycles.Cycle(length: 0.05, wait: 0))
    }

    @Test("Whatever a faulty server states of a stream, an answer is within a second", arguments: 0..<64)
    func anyNumbers(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let extremes: [Int64] = [.min, -1, 0, 1, 2, .max - 1, .max]
        func number() -> Int64 {
            Bool.random(using: &random)
                ? extremes.randomElement(using: &random)! : .random(in: 0...9_999_999, using: &random)
        }
        var cycles = PulseCycles(Self.spec(48_000), graphRate: 0, steadying: 2, fragmentFrames: 2_400)
        var time: UInt64 = 1
        for _ in 0..<999 {
            time += .random(in: 0...99_000_000, using: &random)
            if Int.random(in: 0..<50, using: &random) == 0 { cycles.watch(at: time) }
            cycles.note(captured: number(), at: time)
            guard let cycle = cycles.cycle(ofFragmentUntil: number(), arrivedAt: time, now: time) else { continue }
            #expect((0...1).contains(cycle.length) && (0...1).contains(cycle.wait))
        }
    }
}
