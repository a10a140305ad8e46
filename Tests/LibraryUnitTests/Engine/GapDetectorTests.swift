import Testing

@testable import ACCAudioRecorder

/// Arrivals of fragments as servers deliver them, by default of 40 ms; times in seconds.
// They have one thread, and what they test has no pointers.
@Suite(.tags(.skipsThreadSanitizer, .skipsAddressSanitizer)) struct GapDetectorTests {
    private static let spec = SampleSpec(format: .s16LE, sampleRate: 48_000, channelCount: 2)

    /// The losses detected in a stream with these arrivals: the number of frames before each, and its length.
    private func gaps(
        _ arrivals: [Double], fragmentFrames: Int = 1_920
    ) -> [(place: Int, seconds: Double)] {
        gaps(
            in: arrivals.map {
                FragmentStamp(byteCount: fragmentFrames * 4, arrivalTime: UInt64(($0 + 10) * 1e9))
            }, fragmentFrames: fragmentFrames)
    }

    /// The losses detected in these fragments: the number of frames before each, and its length.
    private func gaps(
        in stamps: [FragmentStamp], fragmentFrames: Int = 1_920, block: Int = 0
    ) -> [(place: Int, seconds: Double)] {
        var detector = GapDetector(Self.spec, fragmentFrames: fragmentFrames)
        var found: [(Int, Double)] = []
        let stamps = stamps.map { stamp in
            var stamp = stamp
            stamp.keptLength = Double(block) / 48_000 / 2
            return stamp
        }
        for index in stamps.indices {
            if case .loss(let loss) = detector.judgement(of: stamps[index...]) {
                found.append((index * fragmentFrames + loss.offset, loss.seconds))
            }
            detector.add(stamps[index])
        }
        return found
    }

    /// The losses detected if this much audio is lost after ten seconds, or the latency increases by it.
    ///
    /// - Parameters:
    ///   - changeTime: When the server announces a change; nil for never.
    ///   - isStated: Whether it is an increase of latency that the server states.
    ///   - isAsked: Whether the server is asked for its timing with each fragment.
    private func gaps(
        after seconds: Double, changeTime: Double? = nil, isStated: Bool = false, isAsked: Bool = false
    ) -> [(place: Int, seconds: Double)] {
        gaps(
            in: delivery(of: 20).map { time in
                let arrival = time < 10 ? time : time + seconds
                return FragmentStamp(
                    byteCount: 1_920 * 4, hostTime: UInt64(((isStated ? time : arrival) + 9.9) * 1e9), isAsked: isAsked,
                    arrivalTime: UInt64((arrival + 10) * 1e9), changeCount: changeTime.map { time < $0 ? 3 : 4 } ?? 3)
            })
    }

    @Test("A short loss is detected while the server announces no change", arguments: [0.02, 0.03, 0.05])
    func aShortLossIsFound(seconds: Double) throws {
        let found = gaps(after: seconds)
        #expect(found.count == 1)
        let gap = try #require(found.first)
        #expect(abs(gap.seconds - seconds) < 0.001)
        #expect(abs(gap.place - 480_000) <= 3_840)
        #expect(gaps(after: 0.01).isEmpty)
    }

    @Test(
        "A shift of deliveries is not a loss if a client came or went, or the server states it",
        arguments: [0.02, 0.05])
    func aShiftIsNoLoss(seconds: Double) {
        #expect(gaps(after: seconds, changeTime: 8).isEmpty)
        #expect(gaps(after: seconds, changeTime: 10.3).isEmpty)
        #expect(gaps(after: seconds, isStated: true).isEmpty)
        #expect(gaps(after: seconds, changeTime: 3).count == 1)
    }

    @Test("Late deliveries for a second or two on a busy machine are not a short loss", arguments: [1.2, 2.5])
    func aLateSecondIsNoLoss(length: Double) {
        let stamps = delivery(of: 20).map { time in
            let arrival = (10..<10 + length).contains(time) ? time + 0.018 : time
            return FragmentStamp(
                byteCount: 1_920 * 4, hostTime: UInt64((arrival + 9.9) * 1e9),
                arrivalTime: UInt64((arrival + 10) * 1e9), changeCount: 3)
        }
        #expect(gaps(in: stamps).isEmpty)
    }

    @Test("Tiny fragments cost few verdicts, although thousands are seen for a loss")
    func fewVerdicts() {
        let (frames, length) = (4, 4.0 / 48_000)
        var detector = GapDetector(Self.spec, fragmentFrames: frames)
        let stamps = (1...84_000).map { number in
            let time = Double(number) * length
            return FragmentStamp(
                byteCount: frames * 4, arrivalTime: UInt64(((time < 3 ? time : time + 0.1) + 10) * 1e9))
        }
        var (verdicts, most, losses) = (0, 0, [Double]())
        for index in stamps.indices {
            let judgement = detector.judgement(of: stamps[index...]) { lookahead in
                if lookahead > 1 { verdicts += 1 }
                most = max(most, lookahead)
            }
            if case .loss(let loss) = judgement { losses.append(loss.seconds) }
            detector.add(stamps[index])
            if !losses.isEmpty { break }
        }
        #expect(losses.count == 1 && most > 10_000 && verdicts < 1_000, "\(losses) \(most) \(verdicts)")
    }

    @Test("A permanent shift of deliveries delays only a few fragments", arguments: [2, 3])
    func aShiftIsGotUsedTo(changeCount: Int) {
        var detector = GapDetector(Self.spec, fragmentFrames: 1_920)
        let stamps = delivery(of: 20).map { time in
            FragmentStamp(
                byteCount: 1_920 * 4, hostTime: UInt64((time + 9.9) * 1e9),
                arrivalTime: UInt64(((time < 10 ? time : time + 0.05) + 10) * 1e9),
                changeCount: time < 10 ? 2 : changeCount)
        }
        var suspectCount = 0
        for index in stamps.indices {
            let judgement = detector.judgement(of: stamps[index...])
            #expect([.inTime, .late].contains(judgement))
            if judgement == .late { suspectCount += 1 }
            detector.add(stamps[index])
        }
        #expect(suspectCount <= 3)
    }

    @Test(
        "What PulseAudio answers for a while is no short loss, a longer one is found",
        arguments: [0.02, 0.03, 0.055, 0.07])
    func anAskedServerIsNotTrusted(seconds: Double) {
        #expect(gaps(after: seconds, isAsked: true).count == (seconds > 0.06 ? 1 : 0))
    }

    @Test("The last fragment of a recording, which is shorter, is not taken for one after a loss")
    func theEndIsNoLoss() {
        var detector = GapDetector(Self.spec, fragmentFrames: 1_920)
        for number in 1...250 {
            let time = UInt64((Double(number) * 0.04 + 10) * 1e9)
            detector.add(.init(byteCount: 1_920 * 4, hostTime: time, arrivalTime: time, changeCount: 0))
        }
        let time = UInt64((251 * 0.04 + 10) * 1e9)
        let last = FragmentStamp(byteCount: 96 * 4, hostTime: time, arrivalTime: time, changeCount: 0)
        #expect(detector.judgement(of: [last]) == .late)
    }

    @Test("A partial fragment, which arrives later than a full one, does not hide later losses")
    func aPartIsNoMeasure() {
        for part in [480, 1_920] {
            var detector = GapDetector(Self.spec, fragmentFrames: 1_920)
            func stamp(_ frames: Int, at time: Double) -> FragmentStamp {
                .init(byteCount: frames * 4, arrivalTime: UInt64((time + 10) * 1e9))
            }
            for number in 1...50 { detector.add(stamp(1_920, at: Double(number) * 0.04)) }
            // It arrives when the full fragment would have.
            detector.add(stamp(part, at: 51 * 0.04))
            if part < 1_920 { detector.add(stamp(1_920 - part, at: 51 * 0.04)) }
            #expect(detector.judge([stamp(1_920, at: 52 * 0.04 + 0.05)]) == .undecided)
        }
    }

    @Test("A fragment that was only delayed is cleared by the next one that is in time")
    func aHeldUpFragmentIsAcquitted() {
        var detector = GapDetector(Self.spec, fragmentFrames: 1_920)
        let stamps = delivery(of: 10, fragment: 0.04).map {
            FragmentStamp(byteCount: 1_920 * 4, arrivalTime: UInt64((($0 < 8 ? $0 : max($0, 8.2)) + 10) * 1e9))
        }
        var seenCounts: [Int] = []
        for index in stamps.indices {
            let judgement = detector.judgement(of: stamps[index...]) { seenCounts.append($0) }
            #expect([.inTime, .late].contains(judgement))
            detector.add(stamps[index])
        }
        // Of fragments delayed together, only the first waits for the others, and only for a few.
        #expect((2...8).contains(seenCounts.max() ?? 0))
    }

    /// The server delivers blocks of 60 ms, and each fragment as soon as it is complete.
    private func delivery(of seconds: Double, fragment: Double = 0.04) -> [Double] {
        (1...Int(seconds / fragment)).map { (Double($0) * fragment / 0.06 - 1e-9).rounded(.up) * 0.06 }
    }

    @Test func nothingIsMissingWhereEverythingArrives() {
        #expect(gaps(delivery(of: 20)).isEmpty)
        #expect(gaps(delivery(of: 20, fragment: 0.001), fragmentFrames: 48).isEmpty)
        // A clock that is 300 ppm slow, for ten minutes.
        #expect(gaps(delivery(of: 600).map { $0 * 1.0003 }).isEmpty)
    }

    @Test("A reader that was stopped receives everything afterwards", arguments: [0.04, 0.005])
    func aHoldUpIsNoGap(fragment: Double) {
        let arrivals = delivery(of: 20, fragment: fragment).enumerated().map { index, time in
            (5..<8).contains(time) ? 8 + 0.0001 * Double(index % 1_000) : time
        }
        #expect(gaps(arrivals, fragmentFrames: Int(fragment * 48_000)).isEmpty)
    }

    @Test("Audio dropped while a reader is stopped is detected at its position", arguments: [0.04, 0.005])
    func aLossAfterAHoldUpIsFound(fragment: Double) throws {
        // Nothing is read from 5 s to 50 s; the server has buffered the first 21 s of that.
        let kept = delivery(of: 26, fragment: fragment).enumerated().map { index, time in
            time < 5 ? time : 50 + 0.00001 * Double(index)
        }
        let later = delivery(of: 10, fragment: fragment).map { $0 + 50.04 }
        let found = gaps(kept + later, fragmentFrames: Int(fragment * 48_000))
        #expect(found.count == 1)
        let gap = try #require(found.first)
        #expect(abs(gap.seconds - 24) < 0.05)
        #expect(abs(Double(gap.place) / 48_000 - Double(kept.count) * fragment) < 0.1)
    }

    /// What a reader receives from a server that buffers this many frames and drops the rest in blocks: the fragments,
    /// the number of frames before the loss, and the frames lost. The reader is stopped from 5 s to 12 s.
    private func stop(
        keeping capacity: Int, block: Int, readingTime: Double
    ) -> (stamps: [FragmentStamp], place: Int, missing: Int) {
        let fragment = 1_920
        var (queued, kept, place, missing) = (0, 0, 0, 0)
        var stamps: [FragmentStamp] = []
        var readerTime = 0.0
        for end in stride(from: block, to: 20 * 48_000, by: block) {
            let time = Double(end) / 48_000
            // Reading frees space in the buffer.
            while queued >= fragment, readerTime < time {
                readerTime += readingTime
                // The server states how much it has buffered for the reader.
                let hostTime = readerTime - Double(queued) / 48_000
                stamps.append(
                    .init(
                        byteCount: fragment * 4, hostTime: UInt64((hostTime + 10) * 1e9),
                        arrivalTime: UInt64((readerTime + 10) * 1e9)))
                queued -= fragment
            }
            if queued < fragment { readerTime = time }
            if (5..<12).contains(readerTime) { readerTime = 12 }
            if queued + block <= capacity {
                queued += block
                kept += block
            } else {
                (place, missing) = (kept, missing + block)
            }
        }
        return (stamps, place, missing)
    }

    @Test(
        "The position of a loss is found within 20 ms, however long the reader takes to catch up",
        arguments: [100_000, 101_111], [(480, 0.000_1), (480, 0.002), (1_024, 0.001), (1_920, 0.004), (960, 0.008)])
    func aLossIsFoundInItsPlace(capacity: Int, form: (block: Int, readingTime: Double)) throws {
        let (stamps, place, missing) = stop(keeping: capacity, block: form.block, readingTime: form.readingTime)
        let found = gaps(in: stamps, block: form.block)
        #expect(found.count == 1)
        let gap = try #require(found.first)
        #expect(abs(gap.place - place) <= 960, "\(gap.place - place)")
        #expect(abs(gap.seconds - Double(missing) / 48_000) < 0.02)
    }

    @Test("The position is also found if the reader is too slow to be waited for", arguments: [0.02, 0.025, 0.03])
    func aLossIsFoundInItsPlaceBySlowReaders(readingTime: Double) throws {
        let (stamps, place, missing) = stop(keeping: 101_111, block: 480, readingTime: readingTime)
        let found = gaps(in: stamps, block: 480)
        #expect(found.count == 1)
        let gap = try #require(found.first)
        #expect(abs(gap.place - place) <= 960, "\(gap.place - place)")
        #expect(abs(gap.seconds - Double(missing) / 48_000) < 0.05)
    }

    @Test(
        "The position is also found if the recording ends before the reader has caught up",
        arguments: [0.3, 0.5, 0.6, 1, 1.2])
    func aLossAtTheEndIsFoundInItsPlace(seconds: Double) throws {
        // The server has buffered two seconds, which the reader gets at four times real time.
        let (stamps, place, missing) = stop(keeping: 101_111, block: 480, readingTime: 0.01)
        let taken = stamps.filter { Double($0.arrivalTime) * 1e-9 - 10 < 12 + seconds }
        let isWithin = place < taken.count * 1_920
        let found = gaps(in: taken, block: 480)
        #expect(found.count == (isWithin ? 1 : 0))
        for gap in found {
            #expect(abs(gap.place - place) <= 960, "\(gap.place - place)")
            #expect(abs(gap.seconds - Double(missing) / 48_000) < 0.05)
        }
    }

    @Test("Late fragments at the end of a recording are not taken for ones after a loss", arguments: [1, 3, 20])
    func aLateEndIsNoLoss(count: Int) {
        let stamps = (1...250).map { number in
            let time = Double(number) * 0.04 + 10
            return FragmentStamp(
                byteCount: (number < 250 ? 1_920 : 96) * 4, hostTime: UInt64((time - 0.04) * 1e9),
                arrivalTime: UInt64((number > 250 - count ? max(time, 20.25) : time) * 1e9))
        }
        #expect(gaps(in: stamps).isEmpty)
    }

    @Test("Audio that a server drops without a delay is detected", arguments: [0.1, 0.5, 3])
    func aPlainLossIsFound(seconds: Double) throws {
        let arrivals = delivery(of: 20).map { $0 < 10 ? $0 : $0 + seconds }
        let found = gaps(arrivals)
        #expect(found.count == 1)
        let gap = try #require(found.first)
        #expect(abs(gap.seconds - seconds) < 0.02)
        #expect(abs(gap.place - 480_000) <= 3_840)
    }

    @Test("Two losses are reported separately")
    func lossesAreToldApart() {
        let arrivals = delivery(of: 30).map { $0 < 10 ? $0 : $0 < 20 ? $0 + 0.2 : $0 + 0.5 }
        #expect(gaps(arrivals).count == 2)
    }
}

extension GapDetector {
    /// Judges the first of these fragments, looking at as many as needed.
    ///
    /// - Parameter observe: Receives the number of fragments seen each time.
    fileprivate mutating func judgement(
        of stamps: ArraySlice<FragmentStamp>, _ observe: (Int) -> Void = { _ in }
    ) -> Judgement {
        while true {
            observe(lookahead)
            let judgement = judge(stamps.prefix(lookahead))
            if judgement != .undecided { return judgement }
        }
    }
}
