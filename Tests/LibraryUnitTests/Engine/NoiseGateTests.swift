import Testing

@testable import ACCAudioRecorder

/// Which frames a noise gate lets through, window by window: `X` sounds, `q` is between the closing and the opening level,
/// and `.` is silent. Windows have ten frames.
@Suite(.timeLimit(.minutes(1))) struct NoiseGateTests {
    private static let rate = 1_000
    private static let levels: [Character: Double] = ["X": -30, "q": -43, ".": -80, "0": -120, "n": -52]

    private static func activation(
        _ pauses: SoundActivation.Pauses = .join, silenceLimit: Duration? = nil, aboveNoise: Double? = nil,
        openingLevel: Double = -40
    ) -> SoundActivation {
        SoundActivation(
            openingLevel: openingLevel, hold: .seconds(0.03), preRoll: .seconds(0.02), levelAboveNoise: aboveNoise,
            pauses: pauses,
            silenceLimit: silenceLimit)
    }

    /// What became of a scene.
    private struct Outcome {
        /// `R` for each window that was recorded as a whole, and `.` for each that was left out.
        var windows = ""
        var decisions: [GatedTimeline.Decision] = []
        var recorded: [Int] = []
        var leftOut = 0
    }

    /// Gates a scene that comes in fragments of this many frames.
    private func gate(
        _ scene: String, _ activation: SoundActivation, isStarted: Bool = false, fragmentFrames: Int = 10
    ) -> Outcome {
        var gate = NoiseGate(activation, sampleRate: Self.rate)
        if isStarted { gate.open(at: 0) }
        var timeline = GatedTimeline(gate, sampleRate: Self.rate, isOpen: isStarted)
        let levels = Array(scene)
        let frameCount = 10 * levels.count
        var outcome = Outcome()
        var measured = 0
        for first in stride(from: 0, to: frameCount, by: fragmentFrames) {
            let end = min(first + fragmentFrames, frameCount)
            timeline.append(0..<end - first, position: first, hostTime: UInt64(first) * 1_000_000)
            while measured + 10 <= end {
                let level = Self.levels[levels[measured / 10]] ?? 0
                timeline.process(.init(frames: measured..<measured + 10, level: level))
                measured += 10
            }
            while let decision = timeline.next() {
                outcome.decisions.append(decision)
                switch decision {
                case .record(let frames, let position, let hostTime):
                    outcome.recorded += frames.map { $0 + position }
                    #expect(hostTime == UInt64(position + frames.lowerBound) * 1_000_000)
                case .begin(let leftOut, _, _): outcome.leftOut += leftOut
                case .gap, .partMissing, .pause, .end: break
                }
            }
        }
        outcome.leftOut += timeline.finish()
        let recorded = Set(outcome.recorded)
        outcome.windows = String(
            levels.indices.map { window in (10 * window..<10 * window + 10).allSatisfy(recorded.contains) ? "R" : "." })
        return outcome
    }

    @Test(
        "A passage is a sound with its pre-roll and its hold time; passages that meet are one",
        arguments: [
            ("....X........", "..RRRRRR....."),
            ("q...q", "....."),
            ("...Xqqqq......", ".RRRRRRRRRR..."),
            ("...X......X......", ".RRRRRR.RRRRRR..."),
            ("...X....X......", ".RRRRRRRRRRR..."),
            ("X......", "RRRR..."),
            ("......X", "....RRR"),
            ("...X..q..q.......", ".RRRRRRRRRRRR...."),
            ("...X...q......", ".RRRRRR......."),
        ], [10, 7, 25])
    func passages(scene: (levels: String, recorded: String), fragmentFrames: Int) {
        let outcome = gate(scene.levels, Self.activation(), fragmentFrames: fragmentFrames)
        #expect(outcome.windows == scene.recorded)
        #expect(outcome.recorded == outcome.recorded.sorted())
        #expect(outcome.recorded.count + outcome.leftOut == 10 * scene.levels.count)
    }

    @Test("Each passage is begun after the frames left out before it, with the place of its sound, and then ended")
    func pausesAreTold() {
        let outcome = gate("...X......X......", Self.activation())
        let others = outcome.decisions.filter { if case .record = $0 { false } else { true } }
        #expect(
            others == [
                .begin(leftOut: 10, onset: 20, hostTime: 10_000_000), .pause,
                .begin(leftOut: 10, onset: 20, hostTime: 80_000_000), .pause,
            ])
        let merged = gate("...X....X......", Self.activation()).decisions
        #expect(merged.count { $0 == .pause } == 1)
    }

    @Test("What is started begins with an open gate, at the start of which something sounds, as it were")
    func startOpens() {
        #expect(gate("........X...", Self.activation(), isStarted: true).windows == "RRR...RRRRRR")
        let decisions = gate("...", Self.activation(), isStarted: true).decisions
        #expect(decisions.allSatisfy { if case .record = $0 { true } else { false } })
    }

    @Test(
        "A recording ends exactly its silence limit after the last sound",
        arguments: [
            (SoundActivation.Pauses.keep, "XX..........", "RRRRRRR....."),
            (.keep, ".........", "RRRRR...."),
            (.keep, "XX....q.........", "RRRRRRRRRRRR...."),
            (.join, "XX..........", "RRRRR......."),
        ])
    func silenceEnds(pauses: SoundActivation.Pauses, scene: String, recorded: String) {
        let outcome = gate(scene, Self.activation(pauses, silenceLimit: .seconds(0.05)), isStarted: true)
        #expect(outcome.windows == recorded)
        #expect(outcome.decisions.count { $0 == .end } == 1)
        #expect(outcome.leftOut == (pauses == .keep ? 0 : 20))
        #expect(
            gate("XX....", Self.activation(pauses, silenceLimit: .seconds(0.05)), isStarted: true).decisions.last
                != .end)
    }

    @Test(
        "A silence limit that awaits a sound counts after the first one, and what precedes it is recorded where pauses are",
        arguments: [
            (SoundActivation.Pauses.keep, ".........", "RRRRRRRRR"),
            (.keep, "..q......X..........", "RRRRRRRRRRRRRRR....."),
            (.keep, "XX..........", "RRRRRRR....."),
            (.join, "..........XX..........", "RRR.....RRRRRRR......."),
        ])
    func silenceLimitsAwaitSounds(pauses: SoundActivation.Pauses, scene: String, recorded: String) {
        var activation = Self.activation(pauses, silenceLimit: .seconds(0.05))
        activation.limitAwaitsSound = true
        let outcome = gate(scene, activation, isStarted: true)
        #expect(outcome.windows == recorded)
        #expect(outcome.decisions.count { $0 == .end } == (scene.contains("X") ? 1 : 0))
    }

    /// A sound in the fifth window, with its pre-roll from frame 20 on, its hold time until 80, and a part that is missing before
    /// a frame.
    @Test(
        "A part that is missing is told before the frame that follows it, however long the gate holds that back",
        arguments: [(43, 23), (20, 0), (7, 0), (80, 60), (95, 60)])
    func missingPartsKeepTheirPlace(end: Int, recordedBefore: Int) {
        var timeline = GatedTimeline(
            NoiseGate(Self.activation(), sampleRate: Self.rate), sampleRate: Self.rate, isOpen: false)
        var recorded = 0
        var places: [Int] = []
        for window in 0..<12 {
            // The mixer reports it before it passes on the frames around it.
            if window == max(end / 10 - 2, 0) { timeline.append(.init(frames: 5), end: end - 10 * window) }
            timeline.append(0..<10, position: window, hostTime: nil)
            timeline.process(.init(frames: 10 * window..<10 * window + 10, level: window == 4 ? 0 : -80))
            while let decision = timeline.next() {
                if case .record(let frames, _, _) = decision { recorded += frames.count }
                if decision == .partMissing(frames: 5) { places.append(recorded) }
            }
        }
        #expect(recorded == 60 && places == [recordedBefore] && timeline.unfinishedParts == [])
    }

    @Test(
        "A part that is missing until after the end is reported at the end, if it has begun",
        arguments: [(9, true), (3, false)])
    func missingPartsAtTheEnd(frames: Int, hasBegun: Bool) {
        var gate = NoiseGate(Self.activation(), sampleRate: Self.rate)
        gate.open(at: 0)
        var timeline = GatedTimeline(gate, sampleRate: Self.rate, isOpen: true)
        timeline.append(.init(frames: frames), end: 15)
        timeline.append(0..<10, position: 0, hostTime: nil)
        while let decision = timeline.next() { #expect(decision != .partMissing(frames: frames)) }
        #expect(timeline.unfinishedParts == (hasBegun ? [.init(frames: frames)] : []))
    }

    @Test("Gaps in the source keep their place between the frames around them")
    func gapsStay() {
        var timeline = GatedTimeline(
            NoiseGate(Self.activation(), sampleRate: Self.rate), sampleRate: Self.rate, isOpen: false)
        for window in 0..<8 {
            timeline.append(0..<10, position: window, hostTime: nil)
            if window == 3 { timeline.append(gap: 1, .dropped) }
            timeline.process(.init(frames: 10 * window..<10 * window + 10, level: window == 4 ? 0 : -80))
        }
        var decisions: [GatedTimeline.Decision] = []
        while let decision = timeline.next() { decisions.append(decision) }
        let gap = decisions.firstIndex(of: .gap(seconds: 1, .dropped))
        let before = decisions.firstIndex { if case .record(_, position: 3, _) = $0 { true } else { false } }
        let after = decisions.firstIndex { if case .record(_, position: 4, _) = $0 { true } else { false } }
        #expect(before.map { $0 + 1 } == gap && gap.map { $0 + 1 } == after)
    }

    @Test("Fragments of which nothing is recorded do not hold back what follows")
    func emptyFragments() {
        var timeline = GatedTimeline(
            NoiseGate(Self.activation(), sampleRate: Self.rate), sampleRate: Self.rate, isOpen: false)
        timeline.append(10..<10, position: 0, hostTime: 0)
        timeline.append(0..<10, position: 1, hostTime: nil)
        timeline.process(.init(frames: 0..<10, level: 0))
        #expect(timeline.next() == .begin(leftOut: 0, onset: 0, hostTime: 0))
        #expect(timeline.next() == .record(0..<10, position: 1, hostTime: 0))
    }

    @Test("A gate continues on a source of another rate with lengths of that rate", arguments: [8_000, 96_000])
    func anotherRate(rate: Int) {
        let window = rate / 100
        var first = GatedTimeline(NoiseGate(Self.activation(), sampleRate: 48_000), sampleRate: 48_000, isOpen: false)
        first.append(0..<480, position: 0, hostTime: 0)
        first.process(.init(frames: 0..<480, level: -80))
        let gate = NoiseGate(Self.activation(), sampleRate: rate, continuing: first.carryover)
        var second = GatedTimeline(gate, sampleRate: rate, isOpen: first.carryover.isOpen)
        var recorded = 0
        for number in 0..<20 {
            second.append(0..<window, position: number, hostTime: nil)
            second.process(.init(frames: window * number..<window * (number + 1), level: number == 5 ? 0 : -80))
            while let decision = second.next() {
                if case .record(let frames, _, _) = decision { recorded += frames.count }
            }
        }
        // The sound, 20 ms before it and 30 ms after it.
        #expect(recorded == 6 * window)
    }

    @Test(
        "The noise floor follows falling levels quickly and rising ones slowly, and ignores a moment of digital silence"
    )
    func noiseFloor() {
        var noise = NoiseFloor()
        for _ in 0..<40 { noise.process(-120, windowsPerSecond: 100) }
        #expect(noise.level == -120)
        for _ in 0..<100 { noise.process(-30, windowsPerSecond: 100) }
        for _ in 0..<40 { noise.process(-120, windowsPerSecond: 100) }
        #expect(abs(noise.level + 30) < 0.01)
        for _ in 0..<200 { noise.process(-60, windowsPerSecond: 100) }
        #expect(abs(noise.level + 60) < 0.1)
        for _ in 0..<1_000 { noise.process(-30, windowsPerSecond: 100) }
        #expect(noise.level < -57 && noise.level > -58)
    }

    /// Where a recording ends that began with these levels, which last for these numbers of windows; nil if it goes on.
    private func end(after scene: [(level: Double, windows: Int)]) -> Int? {
        var activation = Self.activation(.keep, silenceLimit: .seconds(1), aboveNoise: 10, openingLevel: -50)
        activation.limitAwaitsSound = true
        var gate = NoiseGate(activation, sampleRate: Self.rate)
        gate.open(at: 0)
        for (number, level) in scene.flatMap({ Array(repeating: $0.level, count: $0.windows) }).enumerated() {
            gate.process(.init(frames: 10 * number..<10 * (number + 1), level: level))
        }
        return gate.end
    }

    @Test(
        "A steady sound between digital silence ends a recording exactly its silence limit later",
        arguments: [-49.0, -30, -15, 0], [1, 30, 60, 500])
    func soundsBetweenDigitalSilence(level: Double, windows: Int) {
        for before in [60, 200, 1_000] {
            #expect(end(after: [(-120, before), (level, windows), (-120, 99)]) == nil)
            #expect(end(after: [(-120, before), (level, windows), (-120, 100)]) == 10 * (before + windows + 100))
        }
    }

    @Test(
        "A steady sound with which a source begins counts once it has ended, and steady noise does not",
        arguments: [-120.0, -80, -56])
    func soundsFromTheStart(silence: Double) {
        for (zeros, sound) in [(0, 60), (40, 60), (0, 1_000)] {
            let scene = [(-120, zeros), (-30.0, sound)]
            #expect(end(after: scene) == nil)
            #expect(end(after: scene + [(silence, 200)]) == 10 * (zeros + sound + 100))
        }
        #expect(end(after: [(-120, 40), (-45, 5_000)]) == nil)
    }

    @Test("What is not far enough above the noise is no sound, however loud")
    func noiseIsNoSound() {
        let noise = String(repeating: "n", count: 200)
        let scene = noise + "q" + noise
        let activation = Self.activation(aboveNoise: 10, openingLevel: -60)
        #expect(!gate(noise, activation).windows.contains("R"))
        #expect(gate(scene, Self.activation(aboveNoise: 10, openingLevel: -60)).windows.contains("R") == false)
        #expect(gate(noise + "X" + noise, activation).windows.count { $0 == "R" } == 6)
        // Far below the opening level, but above the closing level that is six decibels less.
        let near = Self.activation(aboveNoise: 6, openingLevel: -60)
        #expect(gate(noise + "X" + noise, near).windows.count { $0 == "R" } == 6)
    }
}

@Suite struct WindowMeterTests {
    @Test("A window has the highest level of its channels, or that of their mean power")
    func levels() {
        let spec = SampleSpec(format: .s16LE, sampleRate: 48_000, channelCount: 2)
        let samples: [Int16] = (0..<960).flatMap { _ in [16_384, 0] as [Int16] }
        func levels(_ channels: SoundActivation.Channels, _ selected: [Int]) -> [Double] {
            var meter = WindowMeter(spec, selectedChannels: selected, channels: channels)
            return samples.withUnsafeBytes { bytes in
                meter.measure(0..<300, of: bytes) + meter.measure(300..<960, of: bytes)
            }.map(\.level)
        }
        #expect(levels(.any, []).map { ($0 * 100).rounded() } == [-602, -602])
        #expect(levels(.all, []).map { ($0 * 100).rounded() } == [-903, -903])
        #expect(levels(.any, [2]) == [-120, -120])
    }
}
