import Testing

@testable import ACCAudioRecorder

/// Items in, decisions out: fragments of 10 ms at 48 kHz, times in milliseconds.
@Suite struct IntakeTests {
    private static let fragmentFrames = 480

    /// The input of an intake.
    private enum Input {
        case item(CaptureItem)
        /// Nothing arrived for `CaptureRing.idleTime`.
        case idle

        static let suspended = Input.item(.suspended(.suspended))
        static let resumed = Input.item(.resumed())
        static let exhausted = Input.item(.exhausted)
    }

    private func intake(
        of source: AudioSource = .made("microphone"), carryover: Intake.Carryover = .init(),
        after interruption: RecordingInterruption? = nil
    ) -> Intake {
        Intake(source, fragmentFrames: Self.fragmentFrames, carryover: carryover, after: interruption)
    }

    /// A fragment captured at this time, which by default arrives when it is complete.
    private static func fragment(
        at time: Double, frames: Int = fragmentFrames, arriving arrival: Double? = nil, asleep: Double = 0
    ) -> Input {
        .item(
            .fragment(
                FragmentStamp(
                    byteCount: frames * 4, hostTime: UInt64(time * 1e6),
                    arrivalTime: UInt64((arrival ?? time + Double(frames) / 48) * 1e6), timeAsleep: Int64(asleep * 1e6))
            ))
    }

    private func record(_ frames: Range<Int> = 0..<fragmentFrames, at time: Double?) -> Intake.Decision {
        .record(frames, hostTime: time.map { UInt64($0 * 1e6) })
    }

    /// The decisions for these items, delivered as by a ring.
    private func decisions(_ inputs: [Input], by intake: inout Intake) -> [Intake.Decision] {
        let items = inputs.map { if case .item(let item) = $0 { item } else { CaptureItem?.none } }
        var decisions: [Intake.Decision] = []
        for (index, item) in items.enumerated() {
            guard let item else {
                if let flow = intake.idle() { decisions.append(.flow(flow)) }
                continue
            }
            var decided: [Intake.Decision]?
            while decided == nil {
                let upcoming = items[index...].prefix(intake.lookahead).prefix { $0?.stamp != nil }
                decided = intake.decide(item, upcoming: upcoming.compactMap { $0?.stamp }[...])
            }
            decisions += decided ?? []
        }
        return decisions
    }

    private func decisions(_ inputs: [Input]) -> [Intake.Decision] {
        var intake = intake()
        return decisions(inputs, by: &intake)
    }

    @Test(
        "A client that shortens PipeWire's cycle makes deliveries later by up to 75 ms, which is no loss",
        arguments: [3_000, 25_000])
    func aShorterCycleIsNoLoss(length: Double) {
        // Twice what 2,048 frames have more than 256.
        let (begin, shift) = (20_000.0, 2.0 * (2_048 - 256) / 48)
        let inputs = (0..<6_000).map { number in
            let time = 10 * Double(number)
            let isShort = (begin..<begin + length).contains(time)
            let arrival = time + 10 + (isShort ? shift : 0)
            return Input.item(
                .fragment(
                    FragmentStamp(
                        byteCount: Self.fragmentFrames * 4, hostTime: UInt64((time + 1_000) * 1e6),
                        arrivalTime: UInt64((arrival + 1_000) * 1e6),
                        changeCount: time < begin ? 0 : isShort ? 1 : 2)))
        }
        func isAnythingMissing(from source: AudioSource) -> Bool {
            var intake = intake(of: source)
            return decisions(inputs, by: &intake).contains {
                switch $0 {
                case .gap, .missing: true
                default: false
                }
            }
        }
        var source = AudioSource.made("microphone")
        #expect(isAnythingMissing(from: source))
        source.graphRate = 48_000
        #expect(!isAnythingMissing(from: source))
    }

    /// As measured: with a shorter cycle a null sink loses what it is shorter by, and stands still by as much until the client leaves.
    @Test(
        "What PipeWire loses with each shorter cycle is told, and what is only late is not", arguments: [5.0, 15, 40])
    func lossesWithShorterCycles(length: Double) {
        let cycles = (long: 2_048 / 48_000.0, short: 256 / 48_000.0)
        let (first, count) = (20.0, 12)
        var inputs: [Input] = []
        for number in 0..<Int((first + 2 * length * Double(count)) * 100) {
            let time = 0.01 * Double(number)
            let changeCount = time < first ? 0 : Int((time - first) / length) + 1
            let cycle = changeCount.isMultiple(of: 2) ? cycles.long : cycles.short
            let missing = Double((changeCount + 1) / 2) * (cycles.long - cycles.short)
            let arrival = 1_000.01 + time + missing + cycles.long - cycle
            inputs.append(
                .item(
                    .fragment(
                        FragmentStamp(
                            byteCount: Self.fragmentFrames * 4, hostTime: UInt64((arrival - 0.01) * 1e9),
                            arrivalTime: UInt64(arrival * 1e9), cycle: cycle, changeCount: changeCount))))
        }
        var source = AudioSource.made("monitor")
        source.graphRate = 48_000
        var intake = intake(of: source)
        var told = decisions(inputs, by: &intake).reduce(0) { sum, decision in
            switch decision {
            case .gap(let seconds, _): sum + seconds
            case .missing(let shortfall): sum + shortfall.seconds
            default: sum
            }
        }
        told += intake.close()?.seconds ?? 0
        let missing = Double(count) * (cycles.long - cycles.short)
        #expect(abs(told - missing) < 0.002, "\(told) of \(missing)")
    }

    @Test("Fragments are recorded whole, and the source delivers from the first one on")
    func fragments() {
        let inputs = [Self.fragment(at: 1_000), Self.fragment(at: 1_010, frames: 100)]
        #expect(
            decisions(inputs) == [
                .flow(.flowing), record(at: 1_000), record(0..<100, at: 1_010),
            ])
    }

    @Test("What an input reports as missing is a gap, whoever lost it")
    func holesAreGaps() {
        let inputs: [Input] = [
            Self.fragment(at: 1_000), .item(.hole(frames: 4_800, .overrun)), Self.fragment(at: 1_110),
            .item(.hole(frames: 48, .dropped)),
        ]
        #expect(
            decisions(inputs) == [
                .flow(.flowing), record(at: 1_000), .gap(seconds: 0.1, .overrun), record(at: 1_110),
                .gap(seconds: 0.001, .dropped),
            ])
    }

    @Test("Holes may be longer than any time")
    func endlessHoles() {
        // 292 years.
        let hole = Input.item(.hole(frames: 1 << 48, .dropped))
        let after = decisions([
            Self.fragment(at: 1_000), hole, hole, hole, hole, .suspended, .resumed, Self.fragment(at: 2_000),
        ])
        #expect(after.suffix(2) == [.flow(.flowing), record(at: 2_000)])
        let many = [Input](repeating: hole, count: 100)
        var intake = intake()
        let within = decisions([Self.fragment(at: 1_000)] + many + [Self.fragment(at: 2_000)], by: &intake)
        #expect(within.count == 103)
        #expect(intake.corrected(.max) == .max)
    }

    @Test("I-12: the machine's sleep is a gap, and earlier sleep is not")
    func sleep() {
        let inputs = [
            Self.fragment(at: 1_000, asleep: 50_000), Self.fragment(at: 1_010, asleep: 50_009),
            Self.fragment(at: 1_020, asleep: 57_009),
        ]
        #expect(
            decisions(inputs) == [
                .flow(.flowing), record(at: 1_000), record(at: 1_010), .gap(seconds: 7, .sleep), record(at: 1_020),
            ])
    }

    @Test("I-04: a suspension is a gap between the frames around it")
    func suspension() {
        let inputs = [Self.fragment(at: 1_000), .suspended, .idle, .resumed, Self.fragment(at: 1_510)]
        #expect(
            decisions(inputs) == [
                .flow(.flowing), record(at: 1_000), .flow(.suspended(.suspended)),
                .gap(seconds: 0.5, .interruption(.suspended)), .flow(.flowing), record(at: 1_510),
            ])
    }

    @Test("I-04: what was captured before a suspension precedes the gap, even if it arrives after it")
    func framesFromBeforeASuspension() {
        func resumed(earlierFrames: Int) -> [Intake.Decision] {
            decisions([
                Self.fragment(at: 1_000), .suspended, .item(.resumed(earlierFrames: earlierFrames)),
                Self.fragment(at: 1_510),
                Self.fragment(at: 1_520),
            ])
        }
        let beforeSuspension = [.flow(.flowing), record(at: 1_000), .flow(.suspended(.suspended))]
        #expect(
            resumed(earlierFrames: 240) == beforeSuspension + [
                record(0..<240, at: nil), .gap(seconds: 0.5, .interruption(.suspended)), .flow(.flowing),
                record(240..<480, at: 1_515), record(at: 1_520),
            ])
        #expect(
            resumed(earlierFrames: 480) == beforeSuspension + [
                record(at: nil), .gap(seconds: 0.5, .interruption(.suspended)), .flow(.flowing), record(at: 1_520),
            ])
        #expect(
            resumed(earlierFrames: 720) == beforeSuspension + [
                record(at: nil), record(0..<240, at: nil), .gap(seconds: 0.5, .interruption(.suspended)),
                .flow(.flowing), record(240..<480, at: 1_525),
            ])
    }

    @Test(
        "I-04: fragments that a busy server delivers only after it has announced a suspension, or its end, precede the gap",
        arguments: 0...4)
    func lateFragments(afterTheEnd: Int) {
        let before = (0..<80).map { Self.fragment(at: 1_000 + 10 * Double($0)) }
        let late = (80..<84).map { Self.fragment(at: 1_000 + 10 * Double($0), arriving: 2_600) }
        let after = (0..<50).map { Self.fragment(at: 2_840 + 10 * Double($0)) }
        let decided = decisions(
            before + [.suspended] + late.dropLast(afterTheEnd) + [.resumed] + late.suffix(afterTheEnd) + after)
        #expect(
            decided.dropFirst(81).prefix(8) == [
                .flow(.suspended(.suspended)), record(at: nil), record(at: nil), record(at: nil), record(at: nil),
                .gap(seconds: 1, .interruption(.suspended)), .flow(.flowing), record(at: 2_840),
            ])
        #expect(decided.count == 81 + 7 + 50)
    }

    @Test("A source that delivers nothing has stalled, once; before the first frame it has twice the time")
    func stalls() {
        #expect(decisions([.idle]).isEmpty)
        #expect(decisions([.idle, .idle, .idle]) == [.flow(.stalled)])
        #expect(
            decisions([.idle, Self.fragment(at: 1_000), .idle, .idle]) == [
                .flow(.flowing), record(at: 1_000), .flow(.stalled),
            ])
        #expect(decisions([.suspended, .idle, .idle]) == [.flow(.suspended(.suspended))])
        #expect(decisions([.suspended, .resumed, .idle, .idle]) == [.flow(.suspended(.suspended)), .flow(.stalled)])
        #expect(decisions([.exhausted, .idle, .idle]).isEmpty)
    }

    @Test("A source that stalled and delivers again was suspended")
    func stalledAndBack() {
        #expect(
            decisions([Self.fragment(at: 1_000), .idle, Self.fragment(at: 3_010)]) == [
                .flow(.flowing), record(at: 1_000), .flow(.stalled),
                .gap(seconds: 2, .interruption(.suspended)), .flow(.flowing), record(at: 3_010),
            ])
    }

    @Test("Between segments an interruption is a gap, a pause is not")
    func betweenSegments() {
        var first = intake()
        _ = decisions([Self.fragment(at: 1_000, asleep: 100)], by: &first)
        let next = Self.fragment(at: 4_010, asleep: 2_100)
        var resumed = intake(carryover: first.nextCarryover)
        #expect(decisions([next], by: &resumed) == [.flow(.flowing), record(at: 4_010)])
        var recovered = intake(carryover: first.nextCarryover, after: .deviceLost)
        #expect(
            decisions([next], by: &recovered) == [
                .gap(seconds: 2, .sleep), .gap(seconds: 3, .interruption(.deviceLost)), .flow(.flowing),
                record(at: 4_010),
            ])
    }

    @Test("Where the stated times of a source that was opened again overlap, frames are missing nevertheless")
    func betweenSegmentsThatOverlap() {
        var first = intake()
        _ = decisions([Self.fragment(at: 1_000)], by: &first)
        var recovered = intake(carryover: first.nextCarryover, after: .deviceLost)
        #expect(
            decisions([Self.fragment(at: 1_005), .suspended, .resumed, Self.fragment(at: 1_015)], by: &recovered) == [
                .gap(seconds: 1 / 48_000, .interruption(.deviceLost)), .flow(.flowing), record(at: 1_005),
                .flow(.suspended(.suspended)), .flow(.flowing), record(at: 1_015),
            ])
        var followed = intake(carryover: first.nextCarryover, after: .defaultChanged)
        #expect(decisions([Self.fragment(at: 1_010)], by: &followed) == [.flow(.flowing), record(at: 1_010)])
    }

    @Test("A source that delivers until the end is not stalled, whatever times it states", arguments: [0, 900, 1_500])
    func theEndOfASource(lag: Double) throws {
        var intake = intake()
        _ = decisions([Self.fragment(at: 5_000 - lag, arriving: 5_010)], by: &intake)
        #expect(intake.nextCarryover.missing(until: 5_100_000_000, after: nil) == nil)
        let missing = try #require(intake.nextCarryover.missing(until: 8_000_000_000, after: nil))
        #expect(missing.cause == .interruption(.stalled))
        // A single fragment may have been captured 30 ms before it could have arrived.
        #expect((2.989_999...3.020_001).contains(missing.seconds))
    }

    @Test("A-01: after a pause, the time until an application plays again is no gap")
    func suspensionAfterAPause() {
        var first = intake()
        _ = decisions([Self.fragment(at: 1_000)], by: &first)
        var resumed = intake(carryover: first.nextCarryover)
        #expect(
            decisions([.item(.suspended(.applicationAbsent)), .resumed, Self.fragment(at: 9_000)], by: &resumed) == [
                .flow(.suspended(.applicationAbsent)), .flow(.flowing), record(at: 9_000),
            ])
    }

    @Test("A-01: an application that moves is a gap but does not interrupt, unless it stays away")
    func movedApplication() {
        let moved = Input.item(.suspended(.applicationMoved))
        #expect(
            decisions([Self.fragment(at: 1_000), moved, .resumed, Self.fragment(at: 1_510)]) == [
                .flow(.flowing), record(at: 1_000), .gap(seconds: 0.5, .interruption(.applicationMoved)),
                .flow(.flowing), record(at: 1_510),
            ])
        // However inexact the times are.
        #expect(
            decisions([Self.fragment(at: 1_000), moved, .resumed, Self.fragment(at: 1_005)]) == [
                .flow(.flowing), record(at: 1_000), .gap(seconds: 1 / 48_000, .interruption(.applicationMoved)),
                .flow(.flowing), record(at: 1_005),
            ])
        #expect(
            decisions([
                Self.fragment(at: 1_000), .item(.suspended(.applicationAbsent)), .resumed, Self.fragment(at: 1_005),
            ]) == [
                .flow(.flowing), record(at: 1_000), .flow(.suspended(.applicationAbsent)),
                .gap(seconds: 1 / 48_000, .interruption(.applicationAbsent)), .flow(.flowing), record(at: 1_005),
            ])
        #expect(
            decisions([Self.fragment(at: 1_000), moved, .item(.suspended(.applicationAbsent)), .idle, .idle]) == [
                .flow(.flowing), record(at: 1_000), .flow(.suspended(.applicationAbsent)),
            ])
    }

    @Test(
        "The gap of a source that is opened again is measured by arrivals, since stated times are off by up to a block",
        arguments: [RecordingInterruption.streamMoved, .deviceLost, .serverLost])
    func sameSource(interruption: RecordingInterruption) throws {
        var first = intake()
        _ = decisions(Self.blocks(from: 1_000, count: 80, error: -15), by: &first)
        let after = { count in
            var again = intake(carryover: first.nextCarryover, after: interruption)
            return decisions(Self.blocks(from: 1_832, count: count, error: 3), by: &again).first
        }
        guard case .gap(let seconds, .interruption(interruption))? = after(50) else {
            Issue.record("\(String(describing: after(50)))")
            return
        }
        #expect(abs(seconds - 0.032) < 0.000_1)
        // Too few fragments: by the stated times.
        #expect(after(3) == .gap(seconds: 0.05, .interruption(interruption)))
    }

    @Test("The gap of a source that is opened again is measured by stated times if its fragments are delayed")
    func sameSourceDelayed() {
        var first = intake()
        _ = decisions(Self.blocks(from: 1_000, count: 80, error: 0), by: &first)
        var again = intake(carryover: first.nextCarryover, after: .deviceLost)
        let delayed = (0..<50).map { Self.fragment(at: 2_000 + 10 * Double($0), arriving: 4_000) }
        #expect(decisions(delayed, by: &again).first == .gap(seconds: 0.2, .interruption(.deviceLost)))
    }

    @Test(
        "The gap before another source, or other streams of an application, is as long as stated times say",
        arguments: [
            (AudioSource.made("near"), AudioSource.made("far")), (.made("near"), .made("near", rate: 44_100)),
            (player, player),
        ])
    func otherSource(source: AudioSource, other: AudioSource) {
        var first = intake(of: source)
        _ = decisions(Self.blocks(from: 1_000, count: 80, error: -15), by: &first)
        var next = intake(of: other, carryover: first.nextCarryover, after: .deviceLost)
        #expect(
            decisions(Self.blocks(from: 1_832, count: 50, error: 3), by: &next).first
                == .gap(seconds: 0.05, .interruption(.deviceLost)))
    }

    @Test("The gap before an application plays again is measured by arrivals: PulseAudio states wrong times at first")
    func applicationThatPlaysAgain() throws {
        // What it states first of the stream is off as well, to the other side.
        let before = (0..<1_000).map { number in
            let time = 1_000 + 10 * Double(number)
            return Self.fragment(at: time + 17, arriving: time + 10)
        }
        let after = (0..<80).map { number in
            let time = 19_000 + 10 * Double(number)
            // The first ones come too early.
            return Self.fragment(at: time - 700, arriving: time + (number < 6 ? 0 : 10))
        }
        var intake = intake(of: Self.player)
        let decided = decisions(before + [.item(.suspended(.applicationAbsent)), .resumed] + after, by: &intake)
        let gaps = decided.compactMap { decision in
            if case .gap(let seconds, .interruption(.applicationAbsent)) = decision { seconds } else { Double?.none }
        }
        #expect(gaps.count == 1 && abs(gaps[0] - 8) < 0.003, "\(gaps)")
    }

    private static let player = AudioSource(
        name: "player", sampleSpec: AudioSource.made("").sampleSpec, kind: .application)

    /// A stream of a source that delivers blocks of five fragments at once, and states times that are off by `error`.
    private static func blocks(from start: Double, count: Int, error: Double) -> [Input] {
        (0..<count).map { number in
            let arrival = start + 50 * Double(number / 5 + 1) + 3
            return Self.fragment(at: start + 10 * Double(number) + error, arriving: arrival)
        }
    }

    @Test("Consecutive interruptions count as the first; before the first frame there is no gap")
    func interruptionsInARow() {
        var intakes = [intake()]
        _ = decisions([Self.fragment(at: 1_000)], by: &intakes[0])
        intakes.append(intake(carryover: intakes[0].nextCarryover, after: .serverLost))
        #expect(decisions([.suspended], by: &intakes[1]) == [.flow(.suspended(.suspended))])
        var last = intake(carryover: intakes[1].nextCarryover, after: .streamMoved)
        #expect(
            decisions([Self.fragment(at: 2_010)], by: &last) == [
                .gap(seconds: 1, .interruption(.serverLost)), .flow(.flowing), record(at: 2_010),
            ])
        var early = intake(after: .deviceLost)
        #expect(decisions([Self.fragment(at: 1_000)], by: &early) == [.flow(.flowing), record(at: 1_000)])
    }

    @Test("What is missing is not told once more if it is known otherwise", arguments: [0.028, 0.2])
    func knownLoss(seconds: Double) {
        let frames = 4_800
        var intake = Intake(.made("microphone"), fragmentFrames: frames)
        func fragments(_ numbers: Range<Int>, later: Double) -> [Input] {
            numbers.map { Self.fragment(at: Double($0) * 100 + later * 1_000, frames: frames) }
        }
        _ = decisions(fragments(0..<15, later: 0), by: &intake)
        intake.skip(seconds)
        let later = decisions(fragments(15..<300, later: seconds), by: &intake)
        #expect(later.count == 285 && intake.close() == nil, "\(later.count)")
    }

    @Test("Frames reported as missing before an interruption are not part of its gap")
    func aHoleBeforeAnInterruption() {
        var first = intake()
        _ = decisions([Self.fragment(at: 1_000), .item(.hole(frames: 48_000, .overrun))], by: &first)
        var second = intake(carryover: first.nextCarryover, after: .deviceLost)
        #expect(
            decisions([Self.fragment(at: 4_010)], by: &second) == [
                .gap(seconds: 2, .interruption(.deviceLost)), .flow(.flowing), record(at: 4_010),
            ])
    }

    @Test("Lost audio is a gap within the late fragment, whose remainder has its own time")
    func lostAudio() throws {
        let inputs = (0..<400).map { Self.fragment(at: 1_000 + 10 * Double($0) + ($0 < 100 ? 0 : 200)) }
        let decisions = decisions(inputs)
        let index = try #require(decisions.firstIndex { if case .gap = $0 { true } else { false } })
        guard case .gap(let seconds, .dropped) = decisions[index] else {
            Issue.record("\(decisions[index])")
            return
        }
        #expect(abs(seconds - 0.2) < 0.001)
        #expect(decisions[index - 1] == record(0..<240, at: nil))
        #expect(decisions[index + 1] == record(240..<480, at: 2_205))
        #expect(decisions.count == 1 + 400 + 2)
    }

    @Test("A late fragment is judged once a later one is in time, or no more can be waited for")
    func waitsForLaterFragments() {
        var intake = intake()
        let inTime = (0..<100).map { Self.fragment(at: 1_000 + 10 * Double($0)) }
        _ = decisions(inTime, by: &intake)
        #expect(intake.lookahead == 1)
        let stamps = [2_100, 2_100.1, 2_100.2].enumerated().map { number, arrival in
            FragmentStamp(
                byteCount: Self.fragmentFrames * 4, hostTime: 2_000_000_000 + UInt64(number) * 10_000_000,
                arrivalTime: UInt64(arrival * 1e6))
        }
        for count in 1...2 {
            let decided = intake.decide(.fragment(stamps[0]), upcoming: stamps.prefix(count))
            #expect(decided == nil)
            #expect(intake.lookahead == count + 1)
        }
        var other = intake
        #expect(other.decide(.fragment(stamps[0]), upcoming: stamps.prefix(2)) == [record(at: 2_000)])
        let timely = FragmentStamp(
            byteCount: Self.fragmentFrames * 4, hostTime: 2_020_000_000, arrivalTime: 2_030_000_000)
        #expect(intake.decide(.fragment(stamps[0]), upcoming: stamps.prefix(2) + [timely]) == [record(at: 2_000)])
    }
}
