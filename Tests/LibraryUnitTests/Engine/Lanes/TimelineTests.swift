import Testing

@testable import ACCAudioRecorder

@Suite struct TimelineTests {
    private static let rate = 1_000

    /// A timeline and all that it has passed on: of each lane, the samples from frame 0.
    private struct Run: ~Copyable {
        var timeline = Timeline(sampleRate: rate, holdBack: 0.15, maximumFrames: 50)
        var passed: [[Float]] = []
        private(set) var lengths: [Int] = []
        private(set) var gaps: [Timeline.Gap] = []

        mutating func addLane() -> Int {
            passed.append(Array(repeating: 0, count: end))
            return timeline.addLane(channelCount: 1)
        }

        var end: Int { passed.first?.count ?? 0 }

        /// Frames whose values are their numbers in the lane, from 1 on.
        mutating func push(_ lane: Int, _ frames: Range<Int>, at position: Int) {
            withBlock(frames.map { Float($0 + 1) }) { block in
                timeline.push(block, lane: lane, at: position)
                take()
            }
        }

        mutating func take() {
            while let frames = timeline.pop() {
                #expect(frames.position == end)
                #expect(frames.lanes.count == passed.count)
                lengths.append(frames.count)
                for lane in passed.indices { passed[lane] += frames.lanes[lane].copy }
            }
            gaps += timeline.takeGaps()
        }
    }

    private static func numbers(_ frames: Range<Int>) -> [Float] { frames.map { Float($0 + 1) } }

    @Test("A single lane passes at once, without a copy, with its exact samples")
    func single() {
        var timeline = Timeline(at: 100, sampleRate: Self.rate, holdBack: 0.15, maximumFrames: 50)
        _ = timeline.addLane(channelCount: 1)
        let exact: [Int32] = [1, 2, 3]
        exact.withUnsafeBufferPointer { exact in
            withBlock([1, 2, 3]) { block in
                var block = block
                block.exactSamples = exact
                timeline.push(block, lane: 0, at: 110)
                let silence = timeline.pop()
                #expect(silence?.position == 100 && silence?.lanes[0].copy == [Float](repeating: 0, count: 10))
                let frames = timeline.pop()
                #expect(frames?.position == 110)
                #expect(frames?.lanes[0].samples.baseAddress == block.samples.baseAddress)
                #expect(frames?.lanes[0].exactSamples?.baseAddress == exact.baseAddress)
                let rest = timeline.pop()
                #expect(rest == nil)
            }
        }
    }

    @Test("A lane that was removed is not waited for, and one that was added begins where the others are")
    func joinAndLeave() {
        var timeline = Timeline(sampleRate: Self.rate, holdBack: 0.15, maximumFrames: 50)
        let (first, second) = (timeline.addLane(channelCount: 1), timeline.addLane(channelCount: 1))
        withBlock(Self.numbers(0..<50)) { block in
            timeline.push(block, lane: first, at: 0)
            let none = timeline.pop()
            #expect(none == nil && !timeline.isEmpty)
            timeline.removeLane(second)
            let frames = timeline.pop()
            #expect(frames?.lanes.count == 1 && frames?.lanes[0].copy == Self.numbers(0..<50) && timeline.isEmpty)
        }
        let third = timeline.addLane(channelCount: 1)
        #expect(third != second)
        withBlock(Self.numbers(50..<100)) { block in
            for (lane, position) in [(first, 50), (third, 60)] {
                timeline.push(block, lane: lane, at: position)
                while let frames = timeline.pop() {
                    #expect(frames.lanes[0].copy == Self.numbers(50..<100))
                    #expect(frames.lanes[1].copy == [Float](repeating: 0, count: 10) + Self.numbers(50..<90))
                }
            }
        }
    }

    @Test("Frames are complete up to the slowest lane, for all lengths of blocks", arguments: [7, 20, 50])
    func slowest(length: Int) {
        var run = Run()
        _ = (run.addLane(), run.addLane())
        for turn in 0..<200 {
            let frames = turn * 20..<turn * 20 + 20
            run.push(0, frames, at: frames.lowerBound)
            while run.passed[1].count + length <= frames.upperBound, run.end + length <= frames.upperBound {
                run.push(1, run.end..<run.end + length, at: run.end)
                #expect(run.end <= frames.upperBound)
            }
        }
        #expect(run.end > 3_900)
        for lane in 0...1 { #expect(run.passed[lane] == Self.numbers(0..<run.end)) }
        #expect(run.gaps.isEmpty)
    }

    @Test("A lane that is late by less than the hold-back lacks nothing; at the end nothing is held back")
    func lateness() {
        var run = Run()
        _ = (run.addLane(), run.addLane())
        for turn in 0..<100 {
            run.push(0, turn * 20..<turn * 20 + 20, at: turn * 20)
            if turn >= 6 { run.push(1, (turn - 6) * 20..<(turn - 5) * 20, at: (turn - 6) * 20) }
        }
        #expect(run.end == 1_880)
        run.timeline.end()
        run.take()
        #expect(run.end == 2_000)
        #expect(run.passed[1] == Self.numbers(0..<1_880) + [Float](repeating: 0, count: 120))
        #expect(run.gaps.isEmpty)
    }

    @Test("What is later is silence in its lane, and one gap")
    func gap() {
        var run = Run()
        _ = (run.addLane(), run.addLane())
        for turn in 0..<100 {
            run.push(0, turn * 20..<turn * 20 + 20, at: turn * 20)
            // Nothing for half a second, and then all of it at once.
            guard !(20..<45).contains(turn) else { continue }
            for part in turn == 45 ? 20...45 : turn...turn { run.push(1, part * 20..<part * 20 + 20, at: part * 20) }
        }
        #expect(run.passed[0] == Self.numbers(0..<2_000))
        // The newest frame was at 920, so that all before 770 was passed on.
        #expect(run.gaps == [.init(lane: 1, position: 400, frames: 370)])
        #expect(run.passed[1] == Self.numbers(0..<400) + [Float](repeating: 0, count: 370) + Self.numbers(770..<2_000))
    }

    @Test("A lane that is late for good is placed again, and is reported once")
    func lateForGood() {
        var run = Run()
        _ = (run.addLane(), run.addLane())
        for turn in 0..<200 {
            run.push(0, turn * 20..<turn * 20 + 20, at: turn * 20)
            // Its clock is wrong by 0.4 s.
            run.push(1, turn * 20..<turn * 20 + 20, at: turn * 20 - 400)
        }
        run.timeline.end()
        run.take()
        #expect(run.gaps.count == 1)
        #expect(run.gaps.first.map { $0.position + $0.frames } == run.passed[1].prefix { $0 == 0 }.count)
        // What it had not delivered at the end is silence as well.
        #expect(run.passed[1].suffix(700).prefix(500).contains(0) == false)
    }

    @Test(
        "A lane that was late for a while returns to its place, and all that it then lacks is told",
        arguments: [1_100, 1_500, 2_900])
    func lateForAWhile(length: Int) {
        var run = Run()
        _ = (run.addLane(), run.addLane())
        for turn in 0..<400 {
            let frames = turn * 20..<turn * 20 + 20
            run.push(0, frames, at: frames.lowerBound)
            // For some time its frames come half a second late, and then at once.
            let late = (1_000..<1_000 + length).contains(frames.lowerBound) ? 500 : 0
            let isEnd = frames.lowerBound == 1_000 + length
            for position in stride(
                from: isEnd ? frames.lowerBound - 500 : frames.lowerBound - late, through: frames.lowerBound - late,
                by: 20)
            {
                if late > 0, position < 1_000 { continue }
                run.push(1, position..<position + 20, at: position)
            }
        }
        run.timeline.end()
        run.take()
        #expect(run.passed[1].suffix(2_000) == Self.numbers(6_000..<8_000)[...])
        #expect(run.gaps.allSatisfy { $0.lane == 1 }, "\(run.gaps)")
        let present = Set(run.passed[1]).subtracting([0])
        #expect(8_000 - present.count == run.gaps.reduce(0) { $0 + $1.frames }, "\(run.gaps)")
        #expect(run.passed[0] == Self.numbers(0..<8_000))
    }

    @Test("Lanes have their own channel counts")
    func channels() {
        var timeline = Timeline(sampleRate: Self.rate, holdBack: 0.15, maximumFrames: 50)
        _ = (timeline.addLane(channelCount: 2), timeline.addLane(channelCount: 1))
        var passed: [[Float]] = [[], []]
        for turn in 0..<50 {
            for (lane, channels) in [(0, 2), (1, 1)] {
                withBlock(Self.numbers(turn * 33 * channels..<(turn + 1) * 33 * channels), channels: channels) {
                    block in
                    timeline.push(block, lane: lane, at: turn * 33)
                    while let frames = timeline.pop() {
                        for (lane, block) in frames.lanes.enumerated() { passed[lane] += block.copy }
                    }
                }
            }
        }
        #expect(passed == [Self.numbers(0..<3_300), Self.numbers(0..<1_650)])
    }

    @Test("A lane that never delivers delays nothing for longer than the hold-back; one that is away delays nothing")
    func absent() {
        var run = Run()
        _ = (run.addLane(), run.addLane())
        for turn in 0..<50 {
            run.push(0, turn * 20..<turn * 20 + 20, at: turn * 20)
            #expect(run.end == max(turn * 20 + 20 - 150, 0))
        }
        run.timeline.set(.forItsReturn, forLane: 1)
        run.push(0, 1_000..<1_020, at: 1_000)
        #expect(run.end == 870)
        run.timeline.set(.notAtAll, forLane: 1)
        run.push(0, 1_020..<1_040, at: 1_020)
        #expect(run.end == 1_040)
        #expect(run.passed[1].allSatisfy { $0 == 0 })
        #expect(run.gaps.isEmpty)
    }

    @Test("The first lane goes away for five minutes, while the other goes on; then both are away")
    func away() {
        var run = Run()
        _ = (run.addLane(), run.addLane())
        run.push(0, 0..<20, at: 0)
        run.timeline.set(.notAtAll, forLane: 0)
        for turn in 0..<15_000 { run.push(1, turn * 20..<turn * 20 + 20, at: turn * 20) }
        run.timeline.set(.forIt, forLane: 0)
        run.push(0, 20..<40, at: 300_000)
        run.push(1, 300_000..<300_020, at: 300_000)
        #expect(run.end == 300_020)
        #expect(run.passed[0].suffix(21) == [0] + Self.numbers(20..<40))
        #expect(run.passed[1] == Self.numbers(0..<300_020))
        run.push(1, 300_020..<300_040, at: 310_000)
        run.push(0, 40..<60, at: 310_000)
        #expect(run.end == 310_020)
        #expect(run.passed[0].suffix(21) == [0] + Self.numbers(40..<60))
        #expect(run.lengths.max()! <= 250)
    }
}
