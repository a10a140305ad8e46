import Testing

@testable import ACCAudioRecorder

@Suite struct FragmentWriterTests {
    private static let largest = SampleSpec(format: .float32LE, sampleRate: 384_000, channelCount: 32)

    @Test("More audio than fits into the memory that is allowed for it is not kept, and the error says what helps")
    func mostKeptBytes() {
        do throws(ACCAudioRecorderError) {
            _ = try FragmentWriter(Self.largest, fragmentFrames: 1_024, keptLength: 600, start: .atOnce)
            Issue.record("29 GB are kept")
        } catch {
            #expect(error.failure?.reason == .system)
            #expect("\(error)".contains("600.0 s of audio") && "\(error)".contains("shorter pre-roll"), "\(error)")
        }
    }

    private static let mono = SampleSpec(format: .s16LE, sampleRate: 48_000, channelCount: 1)
    private static let fragmentFrames = 480

    /// Writes a fragment whose samples are its number.
    ///
    /// - Returns: The outcome, in frames.
    private func write(_ number: Int, to writer: inout FragmentWriter) -> Int {
        let samples = [Int16](repeating: Int16(truncatingIfNeeded: number), count: Self.fragmentFrames)
        let stamp = FragmentStamp(hostTime: UInt64(1_000_000_000 + number * 10_000_000))
        return samples.withUnsafeBytes { writer.write($0, stamp).byteCount } / 2
    }

    @Test(
        "However slow the engine is, what is lost lies in few long holes, and everything is delivered or counted",
        arguments: [2, 3, 10])
    func overrunsAreFewAndLong(slowness: Int) throws {
        var writer = try FragmentWriter(Self.mono, fragmentFrames: Self.fragmentFrames, start: .atOnce)
        let ring = writer.ring
        let count = 20 * ring.slotCount
        var (sounding, holes) = (0, [Int]())
        func consume() {
            guard ring.count > 0 else { return }
            ring.remove { item, _ in
                switch item {
                case .fragment(let stamp): sounding += stamp.byteCount / 2
                case .hole(let frames, _): holes.append(frames)
                default: Issue.record("\(item)")
                }
            }
        }
        for number in 0..<count {
            let written = write(number, to: &writer)
            writer.drop(byteCount: 2 * (Self.fragmentFrames - written))
            if number.isMultiple(of: slowness) { consume() }
        }
        writer.close(.stopped)
        while ring.count > 0 { consume() }
        #expect(sounding + holes.reduce(0, +) == count * Self.fragmentFrames)
        // Each but the last is followed by what fits into a quarter of the ring.
        let quarter = ring.slotCount / 4 * Self.fragmentFrames
        #expect(holes.count >= 2 && holes.count - 1 <= sounding / quarter, "\(holes.count) holes")
    }

    @Test("Frames until the stop are counted once its place is known, whatever times are stated then")
    func stopIsCounted() throws {
        var writer = try FragmentWriter(Self.mono, fragmentFrames: Self.fragmentFrames, start: .atOnce)
        _ = write(0, to: &writer)
        writer.stopTime = 1_000_000_000 + 25_000_000
        writer.limitToStop(from: 1_000_000_000 + 10_000_000)
        // As if everything had been captured long ago.
        #expect(write(-100, to: &writer) == Self.fragmentFrames)
        #expect(write(-99, to: &writer) == Self.fragmentFrames / 2)
        // Nothing after the stop counts as lost.
        writer.drop(byteCount: 96_000)
        writer.close(.stopped)
        let ring = writer.ring
        var frames = 0
        while ring.count > 0 { ring.remove { item, _ in frames += (item.stamp?.byteCount ?? 1_000_000) / 2 } }
        #expect(frames == Self.fragmentFrames * 5 / 2)
    }

    /// The items in a ring other than fragments.
    private func otherItems(in ring: CaptureRing) -> [CaptureItem] {
        var items: [CaptureItem] = []
        while ring.count > 0 { ring.remove { item, _ in if item.stamp == nil { items.append(item) } } }
        return items
    }

    @Test("Of what the server has dropped, only what precedes the stop is missing", arguments: [false, true])
    func dropAcrossTheStop(isCounted: Bool) throws {
        var writer = try FragmentWriter(Self.mono, fragmentFrames: Self.fragmentFrames, start: .atOnce)
        _ = write(0, to: &writer)
        let hole: UInt64 = 1_000_000_000 + 10_000_000
        writer.stopTime = hole + 10_000_000
        if isCounted { writer.limitToStop(from: hole) }
        writer.skip(byteCount: 2 * 4_800, at: hole)
        writer.skip(byteCount: 2 * 4_800, at: hole + 100_000_000)
        writer.close(.stopped)
        #expect(otherItems(in: writer.ring) == [.hole(frames: 480, .dropped)])
    }

    @Test("Frames that the server has dropped are reported however many other items wait for the engine")
    func dropsIntoAFullRing() throws {
        var writer = try FragmentWriter(Self.mono, fragmentFrames: Self.fragmentFrames, start: .atOnce)
        _ = write(0, to: &writer)
        let count = 4 * writer.ring.slotCount
        for _ in 0..<count { writer.skip(byteCount: 2 * 10, at: 1_000_000_000) }
        let first = otherItems(in: writer.ring)
        writer.close(.stopped)
        let missing = (first + otherItems(in: writer.ring)).map {
            if case .hole(let frames, _) = $0 { frames } else { 0 }
        }
        #expect(first.count < count && missing.reduce(0, +) == 10 * count)
    }

    @Test(
        "A start within a block does not make fragments look late: how long they take to arrive stays the same",
        arguments: [0, 1, 100, 479])
    func timesOfACutStart(cut: Int) throws {
        let delivery: UInt64 = 2_000_000
        let first: UInt64 = 1_000_000_000
        var writer = try FragmentWriter(
            Self.mono, fragmentFrames: Self.fragmentFrames,
            start: .after(hostTime: first + UInt64(cut) * 1_000_000_000 / 48_000))
        for number in 0..<10 {
            let samples = [Int16](repeating: 1, count: Self.fragmentFrames)
            let hostTime = first + UInt64(number) * 10_000_000
            let stamp = FragmentStamp(hostTime: hostTime, arrivalTime: hostTime + 10_000_000 + delivery)
            _ = samples.withUnsafeBytes { writer.write($0, stamp) }
        }
        writer.flush()
        var count = 0
        while writer.ring.count > 0 {
            writer.ring.remove { item, _ in
                guard let stamp = item.stamp else { return }
                let length = Double(stamp.byteCount / 2) / 48_000
                let taken = Double(stamp.arrivalTime - stamp.hostTime) * 1e-9 - length
                #expect(abs(taken - 0.002) < 1e-6, "\(count)")
                count += 1
            }
        }
        #expect(count == 10)
    }
}
