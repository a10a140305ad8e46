import Testing

@testable import ACCAudioRecorder

@Suite(.tags(.skipsThreadSanitizer)) struct StreamMixerTests {
    private static let spec = SampleSpec(format: .s16LE, sampleRate: 48_000, channelCount: 1)
    private static let start: UInt64 = 1_000_000_000

    /// A mixer with the ring that it fills.
    private struct Mixing: ~Copyable {
        var mixer = StreamMixer(StreamMixerTests.spec)
        var writer: FragmentWriter
        /// What was reported as missing from one stream, and from all.
        var missingParts: [CaptureItem] = []
        var holes: [CaptureItem] = []

        init() throws {
            writer = try FragmentWriter(StreamMixerTests.spec, fragmentFrames: 480, start: .atOnce)
        }

        /// Writes frames of one value.
        ///
        /// - Parameters:
        ///   - frame: When the first was captured, in frames since the start.
        ///   - arrival: When the last arrived, in frames since the start.
        mutating func write(_ value: Int16, count: Int, at frame: Int, arrivingAt arrival: Int = 0, lane: Int) {
            var stamp = FragmentStamp()
            stamp.arrivalTime = StreamMixerTests.start + UInt64(arrival) * 1_000_000_000 / 48_000
            stamp.hostTime = StreamMixerTests.start + UInt64(frame) * 1_000_000_000 / 48_000
            let samples = [Int16](repeating: value, count: count)
            samples.withUnsafeBytes { bytes in
                _ = mixer.write(bytes, stamp, lane: lane, to: &writer)
            }
        }

        /// The samples passed on since the last call, and when the first of them was captured, in frames since the start.
        mutating func passedOn() -> (samples: [Int16], first: Int?) {
            writer.flush()
            var samples: [Int16] = []
            var first: Int?
            while writer.ring.count > 0 {
                writer.ring.remove { item, bytes in
                    if let stamp = item.stamp, first == nil {
                        first = Int((Double(stamp.hostTime - StreamMixerTests.start) * 48e-6).rounded())
                    }
                    if case .partMissing = item { missingParts.append(item) }
                    if case .hole = item { holes.append(item) }
                    samples += bytes.bindMemory(to: Int16.self)
                }
            }
            return (samples, first)
        }
    }

    @Test func aSingleStreamIsPassedOnAtOnceAndUnchanged() throws {
        var mixing = try Mixing()
        let lane = mixing.mixer.addLane()
        for number in 0..<40 {
            mixing.write(Int16(number), count: 1_000, at: number * 1_000, lane: lane)
            let (samples, first) = mixing.passedOn()
            #expect(samples == [Int16](repeating: Int16(number), count: 1_000))
            #expect(first == number * 1_000)
        }
    }

    @Test func streamsAreAddedWhereTheyWerePlayedTogether() throws {
        var mixing = try Mixing()
        let (one, other) = (mixing.mixer.addLane(), mixing.mixer.addLane())
        mixing.write(1, count: 2_000, at: 0, lane: one)
        mixing.write(10, count: 1_000, at: 500, lane: other)
        let (samples, first) = mixing.passedOn()
        // What only one of them has delivered is held back.
        #expect(samples == [Int16](repeating: 1, count: 500) + [Int16](repeating: 11, count: 1_000))
        #expect(first == 0)
        mixing.write(10, count: 1_000, at: 1_500, lane: other)
        #expect(mixing.passedOn().samples == [Int16](repeating: 11, count: 500))
        mixing.mixer.removeLane(one)
        mixing.write(10, count: 100, at: 2_500, lane: other)
        let rest = mixing.passedOn()
        #expect(rest.samples == [Int16](repeating: 10, count: 600))
        #expect(rest.first == 2_000)
    }

    @Test func aStreamThatDeliversNothingDelaysOthersOnlyBriefly() throws {
        let delay = Int(StreamMixer.longestDelay * 48_000)
        var mixing = try Mixing()
        let lane = mixing.mixer.addLane()
        let late = mixing.mixer.addLane()
        mixing.write(1, count: 48_000, at: 0, lane: lane)
        #expect(mixing.passedOn().samples.count == 48_000 - delay)
        // Within the delay, it is added at its time; then it follows itself.
        mixing.write(10, count: 100, at: 47_000, lane: late)
        mixing.write(1, count: delay, at: 48_000, lane: lane)
        let samples = mixing.passedOn().samples
        #expect(samples.count == delay)
        let sums = samples.indices.filter { samples[$0] == 11 }
        #expect(sums == Array(delay - 1_000..<delay - 900))
        // What comes too late is put after what was passed on, in which it is missing.
        mixing.write(10, count: 100, at: 47_100, lane: late)
        mixing.write(1, count: delay, at: 48_000 + delay, lane: lane)
        let expected = [Int16](repeating: 11, count: 100) + [Int16](repeating: 1, count: 100)
        #expect(Array(mixing.passedOn().samples.prefix(200)) == expected)
        #expect(mixing.missingParts == [.partMissing(frames: 900, end: 0)])
    }

    @Test func whereNoStreamPlaysIsSilence() throws {
        var mixing = try Mixing()
        let one = mixing.mixer.addLane()
        mixing.write(1, count: 100, at: 0, lane: one)
        let other = mixing.mixer.addLane()
        mixing.mixer.removeLane(one)
        mixing.write(10, count: 100, at: 30_000, lane: other)
        let samples = mixing.passedOn().samples
        #expect(samples.count == 30_100)
        #expect(samples[100..<30_000].allSatisfy { $0 == 0 } && samples[30_000] == 10)
    }

    @Test func afterAFlushTheTimelineBeginsAnew() throws {
        var mixing = try Mixing()
        let (one, _) = (mixing.mixer.addLane(), mixing.mixer.addLane())
        mixing.write(1, count: 100, at: 0, lane: one)
        #expect(mixing.passedOn().samples.isEmpty)
        _ = mixing.mixer.flush(to: &mixing.writer)
        #expect(mixing.passedOn().samples.count == 100)
        mixing.write(2, count: 10_000, at: 100_000, lane: one)
        let (samples, first) = mixing.passedOn()
        #expect(samples.allSatisfy { $0 == 2 } && first == 100_000)
    }

    @Test("What one stream has lost is reported where it goes on; what it has paused is not")
    func lossOfOneStream() throws {
        var mixing = try Mixing()
        let (one, other) = (mixing.mixer.addLane(), mixing.mixer.addLane())
        mixing.write(1, count: 2_000, at: 0, lane: one)
        mixing.write(10, count: 1_000, at: 0, lane: other)
        #expect(mixing.passedOn().samples.count == 1_000 && mixing.missingParts.isEmpty)
        mixing.mixer.loseLane(other)
        // Lost twice, it is still missing since the first time.
        mixing.mixer.loseLane(other)
        mixing.write(10, count: 500, at: 1_400, lane: other)
        #expect(mixing.passedOn().samples == [Int16](repeating: 1, count: 400) + [Int16](repeating: 11, count: 500))
        #expect(mixing.missingParts == [.partMissing(frames: 400, end: 400)])
        mixing.mixer.interruptLane(other)
        mixing.write(10, count: 50, at: 1_950, lane: other)
        #expect(mixing.passedOn().samples.count == 100 && mixing.missingParts.count == 1)
        // A new timeline has a gap of its own.
        mixing.mixer.loseLane(other)
        _ = mixing.mixer.flush(to: &mixing.writer)
        mixing.write(1, count: 100, at: 9_000, lane: one)
        mixing.write(10, count: 100, at: 9_000, lane: other)
        #expect(mixing.passedOn().samples.count == 100 && mixing.missingParts.count == 1)
    }

    @Test("Where stated times do not show a loss, the times of arrival do; what a server has dropped is counted")
    func lossByArrival() throws {
        var mixing = try Mixing()
        let (one, other) = (mixing.mixer.addLane(), mixing.mixer.addLane())
        mixing.write(1, count: 4_000, at: 0, lane: one)
        mixing.write(10, count: 1_000, at: 0, arrivingAt: 1_000, lane: other)
        mixing.mixer.loseLane(other)
        mixing.write(10, count: 500, at: 900, arrivingAt: 1_980, lane: other)
        #expect(
            mixing.passedOn().samples == [Int16](repeating: 11, count: 1_000) + [Int16](repeating: 1, count: 480)
                + [Int16](repeating: 11, count: 500))
        #expect(mixing.missingParts == [.partMissing(frames: 480, end: 480)])
        _ = mixing.mixer.skip(20, at: 0, lane: other, to: &mixing.writer)
        mixing.write(10, count: 100, at: 0, arrivingAt: 2_080, lane: other)
        #expect(
            mixing.passedOn().samples == [Int16](repeating: 1, count: 20) + [Int16](repeating: 11, count: 100))
        #expect(mixing.missingParts.last == .partMissing(frames: 20, end: 20) && mixing.holes.isEmpty)
    }

    @Test("What a server drops of one stream, in however many pieces, is reported as a whole", arguments: 1...3)
    func lossInPieces(count: Int) throws {
        var mixing = try Mixing()
        let (one, other) = (mixing.mixer.addLane(), mixing.mixer.addLane())
        mixing.write(1, count: 4_000, at: 0, lane: one)
        mixing.write(10, count: 1_000, at: 0, lane: other)
        for _ in 0..<count { _ = mixing.mixer.skip(20, at: 0, lane: other, to: &mixing.writer) }
        mixing.write(10, count: 100, at: 0, lane: other)
        let missing = 20 * count
        #expect(mixing.passedOn().samples.count == 1_100 + missing)
        #expect(mixing.missingParts == [.partMissing(frames: missing, end: missing)])
    }

    @Test("What a server has dropped from the only stream is missing from the recording")
    func lossOfAll() throws {
        var mixing = try Mixing()
        let lane = mixing.mixer.addLane()
        mixing.write(1, count: 100, at: 0, lane: lane)
        _ = mixing.mixer.skip(20, at: 0, lane: lane, to: &mixing.writer)
        mixing.write(2, count: 100, at: 120, lane: lane)
        #expect(mixing.passedOn().samples == [Int16](repeating: 1, count: 100) + [Int16](repeating: 2, count: 100))
        #expect(mixing.holes == [.hole(frames: 20, .dropped)] && mixing.missingParts.isEmpty)
    }

    @Test("The longest silence is bounded, whatever time a server states")
    func anImpossibleTime() throws {
        var mixing = try Mixing()
        let lane = mixing.mixer.addLane()
        mixing.write(1, count: 100, at: 0, lane: lane)
        mixing.mixer.interruptLane(lane)
        mixing.write(1, count: 100, at: 48_000 * 86_400, lane: lane)
        #expect(mixing.passedOn().samples.count <= 100 + 8 * 48_000)
    }

    @Test("At a rate at which the longest delay is less than a frame, frames are passed on as well")
    func aVeryLowRate() throws {
        let spec = SampleSpec(format: .s16LE, sampleRate: 4, channelCount: 1)
        var mixer = StreamMixer(spec)
        var writer = try FragmentWriter(spec, fragmentFrames: 1, start: .atOnce)
        let (lane, _) = (mixer.addLane(), mixer.addLane())
        _ = [Int16](repeating: 1, count: 8).withUnsafeBytes { bytes in
            mixer.write(bytes, FragmentStamp(), lane: lane, to: &writer)
        }
        #expect(writer.ring.count == 7)
    }

    @Test(
        "Sums are exact and limited to full scale",
        arguments: [SampleFormat.s16LE, .s24LE, .s24In32LE, .s32LE])
    func integerSums(format: SampleFormat) throws {
        let bits = try #require(format.integerBits)
        let (low, high) = (-1 << (bits - 1), 1 << (bits - 1) - 1)
        let cases = [
            (1, 2, 3), (-5, 3, -2), (high, 1, high), (low, -1, low), (high, low, -1), (high / 2, high / 2, high - 1),
        ]
        for (one, other, sum) in cases {
            var sums = Self.bytes(one, format)
            Self.bytes(other, format).withUnsafeBytes { samples in
                sums.withUnsafeMutableBytes { format.add(samples, to: $0) }
            }
            let mask = 1 << (8 * format.bytesPerSample) - 1
            #expect(sums == Self.bytes(sum & mask, format), "\(one) + \(other)")
        }
    }

    @Test func floatsAreAddedWithoutLimit() {
        var sums: [Float] = [0.75, -1]
        [Float(0.75), 0.25].withUnsafeBytes { samples in
            sums.withUnsafeMutableBytes { SampleFormat.float32LE.add(samples, to: $0) }
        }
        #expect(sums == [1.5, -0.75])
    }

    @Test(arguments: SampleFormat.allCases)
    func theFormatForMixingHoldsAllSamples(format: SampleFormat) {
        let mixed = format.forMixing
        #expect(mixed.forMixing == mixed)
        #expect((mixed.integerBits == nil) == (format.integerBits == nil))
        #expect(mixed.integerBits ?? 0 >= format.integerBits ?? 0)
    }

    private static func bytes(_ value: Int, _ format: SampleFormat) -> [UInt8] {
        (0..<format.bytesPerSample).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    @Test(
        "A stream whose clock is slower is placed by its time now and then, and what it lacks is reported in few pieces"
    )
    func slowerStream() throws {
        var mixing = try Mixing()
        let (one, slower) = (mixing.mixer.addLane(), mixing.mixer.addLane())
        let (block, drift, seconds) = (1_920, 0.001, 900)
        var slowerCount = 0
        for number in 0..<seconds * 48_000 / block {
            mixing.write(1, count: block, at: number * block, lane: one)
            let time = Int(Double(slowerCount * block) * (1 + drift))
            if time <= number * block {
                mixing.write(10, count: block, at: time, lane: slower)
                slowerCount += 1
            }
            _ = mixing.passedOn()
        }
        let missing = mixing.missingParts.map { if case .partMissing(let frames, _, _) = $0 { frames } else { 0 } }
        // It drifts by 0.9 s, and has 0.15 s of room.
        #expect(missing.count <= 12)
        #expect(abs(Double(missing.reduce(0, +)) / 48_000 - 0.9) < 0.15, "\(missing)")
    }

    @Test("A stream that is always delivered too late is reported once, and mixed from then on")
    func lateStream() throws {
        var mixing = try Mixing()
        let (one, late) = (mixing.mixer.addLane(), mixing.mixer.addLane())
        let (block, lateness) = (1_920, 14_400)
        for number in 0..<1_000 {
            mixing.write(1, count: block, at: number * block, lane: one)
            if number * block >= lateness { mixing.write(10, count: block, at: number * block - lateness, lane: late) }
        }
        let samples = mixing.passedOn().samples
        #expect(mixing.missingParts.count <= 1)
        #expect(samples.suffix(48_000).allSatisfy { $0 == 11 })
    }
}
