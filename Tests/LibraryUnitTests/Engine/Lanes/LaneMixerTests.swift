import Foundation
import TestSupport
import Testing

@testable import ACCAudioRecorder

/// Inputs with clocks of their own as tracks of one stream.
// They have one thread, and would take the sanitisers a quarter of an hour.
@Suite(.tags(.skipsThreadSanitizer, .skipsAddressSanitizer)) struct LaneMixerTests {
    @Test(
        "Tracks of different clocks and latencies are together from the first frame, and stay so",
        arguments: [0, 20e-6, -100e-6, 500e-6])
    func alignment(drift: Double) throws {
        let mix = try MixSimulation([.init(), .init(drift: drift, latency: 0.06, begin: 0.3)])
        try mix.run(for: 60)
        try mix.finish()
        #expect(mix.largestOffset(of: 1, from: 0.5, to: 59) < 0.001)
        #expect(mix.events.isEmpty, "\(mix.events)")
        // Its beginning was not captured.
        #expect(mix.losses(of: 1).count == 1 && abs(mix.losses(of: 1)[0].seconds - 0.3) < 0.05, "\(mix.items)")
        #expect(abs(Double(mix.frameCount) / 8_000 - 60) < 0.2)
    }

    @Test("The first track is what its input has delivered, bit for bit, whatever happens to another")
    func firstPasses() throws {
        let mix = try MixSimulation([.init(), .init(drift: 100e-6, latency: 0.05)])
        let alone = try MixSimulation([.init()])
        for mix in [mix, alone] { try mix.run(for: 20) }
        mix.close(1, .sourceRemoved)
        for mix in [mix, alone] { try mix.run(for: 10) }
        try mix.open(1, after: .deviceLost)
        for mix in [mix, alone] {
            try mix.run(for: 10)
            try mix.finish()
        }
        // The other one may have begun earlier.
        let track = mix.channels[0].dropFirst(try #require(mix.mixer.lanes[0].first))
        let count = min(track.count, alone.frameCount)
        #expect(count > 39 * 8_000 && track.prefix(count).elementsEqual(alone.channels[0].prefix(count)))
    }

    @Test("A track whose input goes away is silent until it returns, in its place, and the loss is told")
    func returns() throws {
        let mix = try MixSimulation([.init(), .init(drift: 100e-6, latency: 0.05)])
        try mix.run(for: 20)
        mix.close(1, .sourceRemoved)
        try mix.run(for: 5)
        try mix.open(1, after: .deviceLost)
        try mix.run(for: 20)
        try mix.finish()
        let losses = mix.losses(of: 1)
        #expect(losses.count == 1 && losses[0].cause == .interruption(.deviceLost))
        #expect(abs(losses[0].seconds - 5) < 0.1 && abs(losses[0].end - 25) < 0.1)
        let absences = mix.absences(of: 1)
        #expect(absences.count == 1 && absences[0].cause == .interruption(.deviceLost))
        #expect(abs(absences[0].begin - (losses[0].end - losses[0].seconds)) < 0.001)
        #expect(mix.channels[1][Int(20.1 * 8_000)..<Int(24.9 * 8_000)].allSatisfy { $0 == 0 })
        #expect(mix.largestOffset(of: 1, from: 25.5, to: 44) < 0.003)
        #expect(mix.largestOffset(of: 1, from: 35, to: 44) < 0.001)
    }

    // As a sink of PulseAudio that renders ahead before a stream of an application can be recorded.
    @Test("What an input lacks at its return is a part of the silence before it", arguments: [0.3, 1.5, 5])
    func lacksAtItsReturn(lacking: Double) throws {
        let mix = try MixSimulation([.init(), .init(drift: 100e-6)])
        try mix.run(for: 20)
        mix.isPaused = [1]
        mix.append(.suspended(.applicationAbsent), to: 1)
        try mix.run(for: 2)
        mix.isPaused = []
        mix.append(.resumed(), to: 1)
        mix.append(.partMissing(frames: Int(lacking * 8_000), end: 0), to: 1)
        try mix.run(for: 10)
        try mix.finish()
        let losses = mix.losses(of: 1)
        let part = min(lacking, 2)
        #expect(abs(losses.reduce(0) { $0 + $1.seconds } - 2) < 0.05, "\(losses)")
        #expect(abs((losses.last?.seconds ?? 0) - part) < 0.05 && losses.last?.cause == .streamMissing, "\(losses)")
        #expect(losses.count == (lacking < 2 ? 2 : 1))
        // Each begins where the one before ends.
        #expect(zip(losses, losses.dropFirst()).allSatisfy { abs($1.end - $1.seconds - $0.end) < 0.001 }, "\(losses)")
        #expect(mix.largestOffset(of: 1, from: 23, to: 30) < 0.001)
    }

    @Test("A track that loses audio is late by none of it once that is found")
    func loses() throws {
        let mix = try MixSimulation([.init(), .init(drift: -50e-6)])
        try mix.run(for: 20)
        mix.lose(0.2, of: 1)
        try mix.run(for: 30)
        try mix.finish()
        let losses = mix.losses(of: 1)
        #expect(losses.count == 1 && losses[0].cause == .dropped && abs(losses[0].seconds - 0.2) < 0.005)
        #expect(mix.largestOffset(of: 1, from: 21, to: 49) < 0.005)
        #expect(mix.losses(of: 0).isEmpty)
    }

    @Test(
        "A track lies in its place from the first frame on, though audio was lost before that was known",
        arguments: [0, 1], [0.028, 0.2])
    func losesBeforeItIsPlaced(input: Int, length: Double) throws {
        for time in [1.5, 3, 4.5] {
            let mix = try MixSimulation((0...1).map { _ in .init(jitter: 0.001, sourceLatency: 0.02) })
            try mix.run(for: time)
            mix.lose(length, of: input)
            try mix.run(for: 20)
            try mix.finish()
            #expect(mix.largestOffset(of: 1, from: 0, to: time) < 0.001)
            #expect(mix.largestOffset(of: 1, from: time + 1.5, to: 18) < 0.001)
            let losses = (0...1).map { mix.losses(of: $0) }
            // What is captured by then arrives two fragments later.
            #expect(losses.joined().allSatisfy { $0.end > time - 2 * MixSimulation.fragment }, "\(losses)")
            // Neither the clock of the lane nor the account tells what the other has told.
            #expect(abs(losses[input].reduce(0) { $0 + $1.seconds } - length) < 0.003, "\(losses)")
        }
    }

    @Test(
        "A track lies in its place from the first frame on, though it was delivered later before that was known",
        arguments: [0, 1], [1.5, 3, 4.5])
    func deliversLaterBeforeItIsPlaced(input: Int, time: Double) throws {
        let mix = try MixSimulation((0...1).map { _ in .init(jitter: 0.001, sourceLatency: 0.02) })
        try mix.run(for: time)
        mix.delays[input] = 0.028
        try mix.run(for: 15)
        try mix.finish()
        #expect(mix.largestOffset(of: 1, from: 0, to: 13) < 0.001)
    }

    // As the first fragment of a sink of PipeWire, whose cycle becomes shorter when it is opened.
    @Test(
        "A track lies in its place from the first frame on, though the first fragment of one was late",
        arguments: [0, 1], Array(stride(from: 0, to: 0.04, by: 0.004)))
    func firstFragmentIsLate(input: Int, begin: Double) throws {
        let mix = try MixSimulation(
            (0...1).map { .init(jitter: 0.001, sourceLatency: 0.02, begin: Double($0) * begin) })
        mix.lateness[input] = 0.028
        while mix.now < 0.07 + Double(input) * begin { try mix.run(for: 0.001) }
        mix.lateness = [:]
        try mix.run(for: 15)
        try mix.finish()
        #expect(mix.largestOffset(of: 1, from: 0, to: 13) < 0.001)
    }

    /// As long as a client of PipeWire may stay. Before its place was known by later fragments, a track was elsewhere for that long.
    @Test(
        "A track lies in its place in each half second, though it or the first one loses audio without a word again and again",
        arguments: [0, 1], [0.012, 0.028, 0.05])
    func losesAgain(input: Int, length: Double) throws {
        let mix = try MixSimulation((0...1).map { _ in .init(jitter: 0.001, sourceLatency: 0.02) })
        try mix.run(for: 20)
        for _ in 0..<5 {
            mix.lose(length, of: input)
            try mix.run(for: 0.7)
        }
        try mix.run(for: 10)
        try mix.finish()
        // The stream goes on without the audio that the first one lost, so each loss makes it shorter.
        let unit = input == 0 ? 0.7 - length : 0.7
        for number in 0..<5 {
            let second = 20.1 + unit * Double(number)
            #expect(abs(mix.offset(of: 1, at: second)) < 0.001, "\(mix.offset(of: 1, at: second)) at \(second)")
        }
    }

    // The arrivals of one are too unsteady to tell so small a loss.
    @Test("Tracks of one clock lack the same where that jumps, whichever shows it", arguments: [0, 1], [0.025, 0.04])
    func sharedLoss(unsteady: Int, length: Double) throws {
        let devices = (0..<3).map { MixSimulation.Device(jitter: $0 == unsteady ? 0.3 : 0.004, sharesClock: true) }
        let mix = try MixSimulation(devices)
        try mix.run(for: 20)
        for number in devices.indices { mix.lose(length, of: number) }
        try mix.run(for: 20)
        mix.lose(length, of: 2)
        try mix.run(for: 20)
        try mix.finish()
        let losses = devices.indices.map { mix.losses(of: $0) }
        #expect(losses.map(\.count) == [1, 1, 2], "\(losses)")
        for loss in losses.compactMap(\.first) {
            #expect(abs(loss.seconds - losses[2][0].seconds) < 0.0005 && abs(loss.end - losses[2][0].end) < 0.041)
        }
        for number in 1...2 { #expect(mix.largestOffset(of: number, from: 21, to: 39) < 0.001) }
        #expect(mix.largestOffset(of: 1, from: 41, to: 59) < 0.001)
    }

    @Test(
        "What is below a step of the word length survives in a track that is resampled, and digital silence stays that")
    func dither() throws {
        let mix = try MixSimulation([.init(), .init(drift: 100e-6)], format: .s16LE, peak: 0.4 * 0x1p-15)
        let silent = try MixSimulation([.init(), .init(drift: 100e-6)], format: .s16LE, peak: 0)
        for mix in [mix, silent] {
            try mix.run(for: 30)
            try mix.finish()
        }
        // The first one passes as it is, and is rounded.
        #expect(mix.channels[0].allSatisfy { $0 == 0 })
        let frames = 8_000..<200_000
        let (sine, cosine) = frames.reduce((0.0, 0.0)) { sum, frame in
            let angle = 2 * .pi * 47 * Double(frame) / 8_000
            let sample = Double(mix.channels[1][frame]) * 0x1p15
            return (sum.0 + sample * sin(angle), sum.1 + sample * cos(angle))
        }
        let peak = 2 * hypot(sine, cosine) / Double(frames.count)
        #expect(abs(peak - 0.4) < 0.02, "\(peak)")
        #expect(silent.channels[1].allSatisfy { $0 == 0 })
    }

    @Test("An input that begins seconds after the others takes nothing from them", arguments: [0.7, 1.2, 3])
    func beginsLater(begin: Double) throws {
        let mix = try MixSimulation([.init(), .init(drift: 100e-6, begin: begin), .init(begin: begin + 0.2)])
        try mix.run(for: 20)
        try mix.finish()
        #expect(mix.events.count == 2 && mix.losses(of: 0).isEmpty, "\(mix.items)")
        // What they lack until then is told, once.
        for (input, begin) in [(1, begin), (2, begin + 0.2)] {
            let losses = mix.losses(of: input)
            #expect(losses.count == 1 && losses.allSatisfy { abs($0.seconds - begin) < 0.05 && $0.end == $0.seconds })
        }
        let silence = mix.channels[0].dropLast(800).split { $0 != 0 }.map(\.count).max() ?? 0
        #expect(mix.mixer.lanes[0].first == 0 && silence < 10, "\(silence)")
        #expect(abs(Double(mix.mixer.lanes[1].first ?? 0) / 8_000 - begin) < 0.05)
    }

    @Test("What a stopped server loses of one input takes nothing from the others", arguments: [0, 1, 2])
    func stoppedServer(shortest: Int) throws {
        let mix = try MixSimulation([.init(), .init(drift: 100e-6), .init(drift: -50e-6)])
        try mix.run(for: 20)
        let lost = (0...2).map { $0 == shortest ? 0.2 : 1.1 }
        mix.stop(for: 1.2, losing: lost)
        try mix.run(for: 20)
        try mix.finish()
        for input in 0...2 {
            let losses = mix.losses(of: input)
            #expect(losses.count == 1 && abs(losses[0].seconds - lost[input]) < 0.05, "\(input): \(losses)")
        }
    }

    /// The first input's loss is found a second later than it happens, and moves the place of the other one.
    // As by a signal, or on a machine that gives the program no processor.
    @Test(
        "A program that was stopped lacks nothing of any input, in whichever order it then reads them",
        arguments: [0.2, 0.7, 1.6, 2.3, 4, 7.5], [[0, 1, 2], [2, 1, 0], [1, 0, 2]])
    func stoppedProgram(seconds: Double, order: [Int]) throws {
        let mix = try MixSimulation([.init(), .init(drift: 100e-6), .init(drift: -50e-6)])
        try mix.run(for: 12)
        for _ in 0..<3 {
            try mix.stopProgram(for: seconds, reading: order)
            try mix.run(for: 4)
        }
        try mix.finish()
        #expect(mix.missing.isEmpty && !mix.events.contains { $0.item != .resumed() }, "\(mix.events)")
        #expect(mix.largestOffset(of: 1, from: 0, to: mix.now - 1) < 0.001)
        #expect(mix.largestOffset(of: 2, from: 0, to: mix.now - 1) < 0.001)
    }

    @Test("Silence is told, whenever the first input loses audio beside another one's return", arguments: -4...4)
    func lossBesideReturn(quarters: Int) throws {
        let mix = try MixSimulation([.init(), .init(drift: 100e-6)])
        let after = Double(quarters) / 4
        try mix.run(for: 20)
        mix.close(1, .sourceRemoved)
        try mix.run(for: 2 + min(after, 0))
        if after < 0 { mix.lose(0.1, of: 0) }
        try mix.run(for: max(-after, 0))
        try mix.open(1, after: .deviceLost)
        try mix.run(for: max(after, 0))
        if after >= 0 { mix.lose(0.1, of: 0) }
        try mix.run(for: 20)
        try mix.finish()
        for input in 0...1 {
            let silence = Double(mix.channels[input].count { abs($0) < 1e-6 }) / 8_000
            let told = mix.losses(of: input).reduce(0) { $0 + $1.seconds }
            // The inputs neither begin nor end in the same frame.
            #expect(told > 0.05 && abs(silence - told) < 0.05, "\(input): \(silence), told \(mix.losses(of: input))")
        }
    }

    /// Where the first input delivers sooner again right after the return of another one, that lies later than was known then.
    @Test("An input that is moved after its return reports the silence before it", arguments: [0.03, 0.06])
    func movesAfterItsReturn(seconds: Double) throws {
        let mix = try MixSimulation((0...1).map { _ in .init(jitter: 0.001) })
        try mix.run(for: 10)
        mix.close(1, .sourceRemoved)
        mix.delays[0] = seconds
        try mix.run(for: 15)
        try mix.open(1, after: .deviceLost)
        try mix.run(for: 0.3)
        mix.delays[0] = 0
        try mix.run(for: 10)
        try mix.finish()
        let losses = mix.losses(of: 1)
        let moved = try #require(losses.last)
        #expect(losses.count == 2 && abs(moved.seconds - seconds) < 0.005, "\(losses)")
        let frames = Int(((moved.end - moved.seconds) * 8_000).rounded())..<Int((moved.end * 8_000).rounded())
        #expect(mix.channels[1][frames].allSatisfy { $0 == 0 } && mix.channels[1][frames.upperBound] != 0)
    }

    @Test("A track is as much later as it is to be, and the others wait for nothing", arguments: [0.25, -0.25, 3, -3])
    func delay(seconds: Double) throws {
        let mix = try MixSimulation([.init(), .init(drift: 100e-6, delay: seconds)])
        let plain = try MixSimulation([.init(), .init(drift: 100e-6)])
        for mix in [mix, plain] {
            try mix.run(for: 30)
            try mix.finish()
        }
        for second in stride(from: 5.0, to: 25, by: 0.5) {
            let phase = mix.delay(of: 1, at: second) - mix.delay(of: 0, at: second) - seconds
            #expect(abs(remainder(phase, 1 / 47)) < 0.001)
        }
        let begin = try #require(mix.mixer.lanes[1].first.map { Double($0) / 8_000 })
        let other = try #require(mix.mixer.lanes[0].first.map { Double($0) / 8_000 })
        let before = try #require(plain.mixer.lanes[1].first.map { Double($0) / 8_000 })
        // The recording begins with the first frame of either.
        #expect(abs(begin - other - seconds - before) < 0.01 && min(begin, other) < 0.01)
        #expect(mix.events.isEmpty, "\(mix.events)")
    }

    // The first frames of some come so late that others went on without them.
    @Test(
        "A track whose input is not there yet is told to be missing from the first frame on, until it comes, once",
        arguments: Array(stride(from: 0.02, to: 0.2, by: 0.01)))
    func comesLater(latency: Double) throws {
        let mix = try MixSimulation([.init(), .init(drift: 100e-6, latency: latency)], absent: [1])
        try mix.run(for: 20)
        #expect(mix.absences(of: 1).map(\.begin) == [0] && mix.losses(of: 1).isEmpty)
        try mix.open(1, after: .deviceLost)
        try mix.run(for: 20)
        try mix.finish()
        let losses = mix.losses(of: 1)
        let loss = try #require(losses.first)
        #expect(losses.count == 1 && abs(loss.seconds - 20) < max(0.1, latency) && loss.end == loss.seconds)
        // It is silent until there, and no longer.
        let end = Int((loss.end * 8_000).rounded())
        #expect(mix.channels[1][..<end].allSatisfy { $0 == 0 })
        #expect(mix.channels[1][end..<end + 80].contains { $0 != 0 })
        #expect(mix.largestOffset(of: 1, from: 25.5, to: 39) < 0.003)
    }

    @Test("An input that never delivers holds nothing up")
    func neverDelivers() throws {
        let mix = try MixSimulation([.init(), .init(begin: .infinity)])
        try mix.run(for: 20)
        #expect(mix.frameCount > 19 * 8_000)
        try mix.finish()
        #expect(mix.channels[1].allSatisfy { $0 == 0 })
    }

    @Test("A stream ends although none of its inputs has delivered anything", arguments: [false, true])
    func endsBeforeTheFirstFrame(hasResumed: Bool) throws {
        let mix = try MixSimulation([.init(begin: 1), .init(begin: 1)])
        if hasResumed { mix.append(.resumed(), to: 1) }
        try mix.run(for: 0.1)
        try mix.finish()
        #expect(mix.frameCount == 0)
    }

    @Test("Inputs that end before they have delivered anything are opened again")
    func opensAgainBeforeTheFirstFrame() throws {
        let mix = try MixSimulation([.init(begin: 1), .init(begin: 1)])
        try mix.run(for: 0.1)
        for number in 0...1 { mix.close(number, .serverLost) }
        try mix.run(for: 0.3)
        for number in 0...1 { try mix.open(number, after: .serverLost) }
        try mix.run(for: 20)
        try mix.finish()
        #expect(abs(mix.frameCount - Int(19.4 * 8_000)) < 1_000)
        #expect(mix.largestOffset(of: 1, from: 1, to: 18) < 0.005)
    }

    @Test("While the first input is away, the others go on, and it returns in its place")
    func firstReturns() throws {
        let mix = try MixSimulation([.init(), .init(drift: 100e-6)])
        try mix.run(for: 30)
        mix.close(0, .sourceRemoved)
        try mix.run(for: 30)
        #expect(mix.frameCount > 59 * 8_000)
        try mix.open(0, after: .deviceLost)
        try mix.run(for: 20)
        try mix.finish()
        // Where it goes and where it returns.
        #expect(mix.events.count == 2 && abs(Double(mix.frameCount) / 8_000 - 80) < 0.1, "\(mix.events)")
        #expect(mix.losses(of: 0).count == 1 && abs((mix.losses(of: 0).first?.seconds ?? 0) - 30) < 0.1)
        #expect(mix.channels[1][..<(79 * 8_000)].contains { $0 != 0 })
        #expect(mix.largestOffset(of: 1, from: 60.5, to: 79) < 0.003)
    }

    @Test("While all are away the stream is suspended, and it goes on when one returns")
    func allAway() throws {
        let mix = try MixSimulation([.init(), .init()])
        try mix.run(for: 20)
        for number in 0...1 { mix.close(number, .serverLost) }
        try mix.run(for: 10)
        let before = mix.frameCount
        #expect(abs(before - 20 * 8_000) < 1_000)
        for number in 0...1 { try mix.open(number, after: .serverLost) }
        try mix.run(for: 10)
        try mix.finish()
        #expect(mix.events.map(\.item).prefix(2) == [.suspended(.suspended), .resumed()], "\(mix.events)")
        #expect(abs(mix.frameCount - 30 * 8_000) < 2_000)
        let first = mix.stamps.first { $0.hostTime > 1_025_000_000_000 }
        #expect(abs(Double(first?.hostTime ?? 0) * 1e-9 - 1_030) < 0.05)
        #expect(mix.largestOffset(of: 1, from: 20.5, to: 29) < 0.005)
    }
}
