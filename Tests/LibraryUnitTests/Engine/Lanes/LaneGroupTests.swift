import Foundation
import TestSupport
import Testing

@testable import ACCAudioRecorder

/// The streams of an application as one.
// They have one thread, and would take the sanitisers a quarter of an hour.
@Suite(.tags(.skipsThreadSanitizer, .skipsAddressSanitizer)) struct LaneGroupTests {
    /// Two streams to one sink, and others.
    private static let two = [MixSimulation.Device(), .init(latency: 0.04, begin: 5)]

    @Test("A single stream passes as it is: its samples, its stamps, its holes and its pauses")
    func single() throws {
        let (mix, alone) = (try MixSimulation([.init()], isGroup: true), try MixSimulation([.init()]))
        for mix in [mix, alone] { try mix.run(for: 10) }
        let items: [CaptureItem] = [
            .hole(frames: 20, .dropped), .suspended(.applicationPaused), .resumed(earlierFrames: 7),
            .suspended(.applicationMoved), .resumed(),
        ]
        for item in items { mix.append(item, to: 0) }
        for mix in [mix, alone] {
            try mix.run(for: 10)
            try mix.finish()
        }
        #expect(mix.events.map(\.item).prefix(5) == items[...], "\(mix.events)")
        let count = min(mix.frameCount, alone.frameCount)
        #expect(count > 19 * 8_000 && mix.channels[0].prefix(count) == alone.channels[0].prefix(count))
        // The stamps of a mix are even.
        let lags = mix.stamps.enumerated().map { Double($1.arrivalTime) * 1e-9 - Double($0 + 1) * 0.04 }
        #expect((lags.max() ?? 1) - (lags.min() ?? 0) > 0.003)
    }

    @Test("It is passed on at once, without waiting for others")
    func atOnce() throws {
        let mix = try MixSimulation([.init()], isGroup: true)
        try mix.run(for: 0.2)
        #expect(mix.frameCount >= 3 * 320)
    }

    @Test("A stream that joins on the same sink is added unchanged, and what comes after it passes as before")
    func joins() throws {
        let (mix, alone) = (try MixSimulation(Self.two, isGroup: true), try MixSimulation([.init()], isGroup: true))
        for mix in [mix, alone] { try mix.run(for: 20) }
        mix.close(1, .stopped)
        for mix in [mix, alone] { try mix.run(for: 10) }
        #expect(mix.mixer.lanes.count == 1 && !mix.mixer.isMixing)
        for mix in [mix, alone] { try mix.finish() }
        #expect(mix.missing.isEmpty, "\(mix.events)")
        let count = min(mix.frameCount, alone.frameCount)
        #expect(count > 29 * 8_000)
        let (sum, first) = (mix.channels[0], alone.channels[0])
        #expect(sum[..<(4 * 8_000)] == first[..<(4 * 8_000)])
        #expect(sum[(21 * 8_000)..<count] == first[(21 * 8_000)..<count])
        // The second one has all of its frames, from the first one on.
        let second = (0..<count).filter { sum[$0] != first[$0] }
        #expect(abs(Double(second.count) / 8_000 - 15) < 0.15)
        #expect(mix.largestOffset(of: 1, from: 12, to: 19) < 0.001)
        #expect(mix.largestOffset(of: 1, from: 5.5, to: 12) < 0.02)
    }

    @Test(
        "An application that plays to sinks of different clocks lacks nothing for an hour", .tags(.lengthy),
        arguments: [-200e-6, 200e-6])
    func drifts(drift: Double) throws {
        let mix = try MixSimulation([.init(), .init(drift: drift, latency: 0.06, begin: 2, sink: 1)], isGroup: true)
        try mix.run(for: 3_600)
        try mix.finish()
        #expect(mix.missing.isEmpty, "\(mix.missing)")
        #expect(abs(Double(mix.frameCount) / 8_000 - 3_600) < 0.2)
        #expect(mix.largestOffset(of: 1, from: 30, to: 3_599) < 0.001)
    }

    @Test(
        "A stream that is lost is missing in what the others play, and told once; one that pauses is not",
        arguments: [0, 1] as [UInt32])
    func missing(sink: UInt32) throws {
        let mix = try MixSimulation(
            [.init(), .init(drift: Double(sink) * 100e-6, latency: 0.04, begin: 5, sink: sink)], isGroup: true)
        try mix.run(for: 20)
        mix.append(.suspended(.applicationPaused), to: 1)
        mix.isPaused = [1]
        try mix.run(for: 5)
        mix.append(.resumed(), to: 1)
        mix.isPaused = []
        try mix.run(for: 10)
        #expect(mix.missing.isEmpty && mix.largestOffset(of: 1, from: 32, to: 34) < 0.002, "\(mix.events)")
        mix.append(.suspended(.applicationMoved), to: 1)
        mix.isPaused = [1]
        try mix.run(for: 0.3)
        mix.isPaused = []
        mix.append(.resumed(), to: 1)
        try mix.run(for: 10)
        try mix.finish()
        // With what was on the way.
        #expect(mix.missing.count == 1 && (0.3...0.4).contains(mix.missing.first?.seconds ?? 0), "\(mix.missing)")
        #expect(mix.missing.first?.loss == InputLoss(input: 0, cause: .streamMissing))
        #expect(mix.largestOffset(of: 1, from: 42, to: 44) < 0.002)
    }

    @Test(
        "A recorder that was stopped lacks nothing of any stream", arguments: [0.7, 2.3, 6], [0, 1] as [UInt32])
    func stoppedProgram(seconds: Double, sink: UInt32) throws {
        for order in [[0, 1], [1, 0]] {
            let mix = try MixSimulation(
                [.init(), .init(drift: Double(sink) * 100e-6, latency: 0.04, begin: 5, sink: sink)], isGroup: true)
            try mix.run(for: 20)
            for _ in 0..<3 {
                try mix.stopProgram(for: seconds, reading: order)
                try mix.run(for: 5)
            }
            try mix.finish()
            #expect(mix.missing.isEmpty, "\(order): \(mix.events)")
            #expect(mix.largestOffset(of: 1, from: 21, to: mix.now - 1) < 0.002, "\(order)")
        }
    }

    @Test("While all are paused the stream is suspended; one that plays again is relayed")
    func allPause() throws {
        let mix = try MixSimulation([.init(), .init()], isGroup: true)
        try mix.run(for: 10)
        #expect(mix.mixer.isMixing)
        for number in 0...1 { mix.append(.suspended(.applicationPaused), to: number) }
        mix.isPaused = [0, 1]
        try mix.run(for: 5)
        let before = mix.frameCount
        #expect(abs(before - 80_000) < 1_000 && mix.events.last?.item == .suspended(.applicationPaused))
        mix.append(.resumed(), to: 1)
        mix.isPaused = [0]
        try mix.run(for: 5)
        #expect(!mix.mixer.isMixing && mix.mixer.group?.relayed?.number == 1)
        try mix.finish()
        #expect(mix.events.map(\.item).suffix(3).first == .suspended(.applicationPaused), "\(mix.events)")
        #expect(abs(mix.frameCount - before - 40_000) < 1_000)
    }

    @Test("When the first stream ends, those beside it stay where they are, on its sink and on another")
    func firstEnds() throws {
        let mix = try MixSimulation(
            [.init(), .init(latency: 0.03, begin: 1), .init(drift: 150e-6, begin: 2, sink: 1)], isGroup: true)
        try mix.run(for: 60)
        mix.close(0, .stopped)
        try mix.run(for: 600)
        #expect(mix.mixer.lanes.count == 2)
        try mix.finish()
        #expect(mix.missing.isEmpty, "\(mix.missing)")
        for input in 1...2 {
            let delays = stride(from: 30, to: 655, by: 5).map { mix.delay(of: input, at: $0) }
            #expect(delays.allSatisfy { abs($0 - delays[0]) < 0.001 }, "\(delays)")
        }
    }

    @Test("A stream that is open but delivers nothing holds the others up only at first")
    func neverDelivers() throws {
        let mix = try MixSimulation([.init(), .init(begin: 3)], isGroup: true)
        try mix.run(for: 2)
        mix.isPaused = [1]
        try mix.run(for: 10)
        #expect(mix.frameCount > 11 * 8_000 && !mix.mixer.isMixing)
        try mix.finish()
        #expect(mix.missing.isEmpty)
    }

    @Test("When the last stream ends, the application is absent, until the next one plays")
    func ends() throws {
        let mix = try MixSimulation([.init(), .init(begin: 8)], isGroup: true)
        try mix.run(for: 5)
        mix.close(0, .stopped)
        mix.mixer.group?.mayBeEmpty = true
        try mix.run(for: 5)
        try mix.finish()
        #expect(mix.events.map(\.item) == [.suspended(.applicationAbsent), .resumed()], "\(mix.events)")
    }

    @Test(
        "Sums are exact up to 24 bits, and limited to full scale",
        arguments: [SampleFormat.s16LE, .s24LE, .s24In32LE, .s32LE])
    func sums(format: SampleFormat) throws {
        let spec = SampleSpec(format: format, sampleRate: 8_000, channelCount: 1)
        let bits = try #require(format.integerBits)
        let unit = 1 << max(bits - 24, 0)
        let (low, high) = (-1 << (bits - 1), 1 << (bits - 1) - 1)
        for (one, other) in [(1, 2), (-5, 3), (high / unit, 1), (low / unit, -1), (high / unit, low / unit)] {
            let writer = try FragmentWriter(spec, fragmentFrames: 320, start: .atOnce)
            let ring = writer.ring
            let mixer = LaneMixer([], .sum, as: spec, writer: writer)!
            for sample in [one * unit, other * unit] {
                var input = try FragmentWriter(spec, fragmentFrames: 320, start: .atOnce)
                mixer.join(MixSimulation.Input(input.ring, sink: 0, spec), quality: .fastest)
                let samples = (0..<320).flatMap { _ in Self.bytes(sample, format) }
                samples.withUnsafeBytes { bytes in
                    let stamp = FragmentStamp(hostTime: 1_000_000_000, arrivalTime: 1_050_000_000)
                    _ = input.write(bytes, stamp)
                }
                input.close(.stopped)
            }
            mixer.end(at: .max)
            while try mixer.run(at: 2_000_000_000) {}
            try mixer.close(.stopped)
            let sum = min(max((one + other) * unit, low), high)
            var mixed: [UInt8] = []
            while ring.count > 0 { ring.remove { _, bytes in mixed += bytes } }
            #expect(mixed == (0..<320).flatMap { _ in Self.bytes(sum, format) }, "\(one) + \(other)")
        }
    }

    private static func bytes(_ value: Int, _ format: SampleFormat) -> [UInt8] {
        (0..<format.bytesPerSample).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}
