import ACCAudioRecorder
import TestSupport
import Testing

@testable import AccrecCommands

/// When scheduled takes begin, by clocks that a test sets.
@Suite(.serialized, .berlin)
struct ScheduledTakesTests {
    /// Each ten minutes, for one minute.
    private static let often = "--every 10m --for 1m"
    /// A Thursday, 18:00 in Berlin.
    private static let start = 1_795_712_400

    @Test("Takes begin at their interval until the user ends the wait, which is no failure once there is a take")
    func repeated() async throws {
        let trial = try await ScheduleTrial(Self.often, at: Self.start, [(1_500, .end)])
        #expect(trial.beginnings == [0, 600, 1_200] && trial.status == .success)
        #expect(trial.messages == ["ended before the next recording began"])
        let early = try await ScheduleTrial("--start-in 1h", at: Self.start, [(1_500, .end)])
        #expect(early.beginnings.isEmpty && early.status == .failure)
        #expect(early.messages == ["ended before the recording began"])
    }

    @Test("A take that the user ends is the last one, and nothing is said about the next")
    func endedTake() async throws {
        let trial = try await ScheduleTrial(Self.often, at: Self.start, [(630, .end), (900, .end)])
        #expect(trial.beginnings == [0, 600] && trial.status == .success && trial.messages.isEmpty)
    }

    @Test("A take that the user starts less than half an interval before its time is in place of the one at that time")
    func startedTake() async throws {
        for (start, beginnings) in [(301, [0, 301, 1_200]), (300, [0, 300, 600, 1_200])] {
            let trial = try await ScheduleTrial(Self.often, at: Self.start, [(start, .start), (1_500, .end)])
            #expect(trial.beginnings == beginnings && trial.messages.count == 1)
        }
        let single = try await ScheduleTrial("--start-in 1h --for 1m", at: Self.start, [(300, .start)])
        #expect(single.beginnings == [300] && single.status == .success)
    }

    @Test("A time of day begins on this day or the next, and takes go on past midnight")
    func midnight() async throws {
        let evening = try BerlinTime.instant("2026-11-26T23:45:10+01:00")
        let cases: [(start: String, beginning: Int)] = [
            ("23:45:10", 0), ("23:45:09", 86_399), ("23:59", 830), ("00:05", 1_190), ("2026-11-27T00:05", 1_190),
            ("2026-11-27T00:05Z", 4_790),
        ]
        for (start, beginning) in cases {
            let trial = try await ScheduleTrial(
                "--start-at \(start) \(Self.often)", at: evening, [(beginning + 1_500, .end)])
            #expect(trial.beginnings == [0, 600, 1_200].map { beginning + $0 }, "\(start)")
        }
        #expect(throws: (any Error).self) {
            try ScheduleOptions.parse(["--start-at", "2026-11-26T23:45"])
                .schedule(at: ClockReading(wallTime: Double(evening), bootTime: 0))
        }
    }

    @Test("A recording ends at the first such time after its beginning, or is refused")
    func ends() throws {
        let evening = try BerlinTime.instant("2026-11-26T23:45:10+01:00")
        let clocks = ClockReading(wallTime: Double(evening), bootTime: 0)
        func length(_ options: String) throws -> Double? {
            try ScheduleOptions.parse(options.split(separator: " ").map(String.init)).end(at: clocks)?
                .remaining(at: clocks)
        }
        #expect(try length("") == nil)
        #expect(try length("--until 23:45:11") == 1)
        #expect(try length("--until 23:45:09") == 86_399)
        #expect(try length("--until 2026-11-27T00:05Z") == 4_790)
        #expect(try length("--until 00:05 --start-at 23:59") == 1_190)
        #expect(try length("--until 23:50 --start-at 23:59") == 86_690)
        #expect(try length("--until 23:50 --start-in 1h --for 1m") == 86_690)
        for refused in [
            "--until 2026-11-26T23:45:10", "--until 2026-11-26T23:45:10+02:00", "--until 23:59 --start-at 23:59",
            "--until 2026-11-27T00:00 --start-in 1h", "--until 25:00", "--until 1h",
            "--until 23:50 --every 1h --for 1m",
        ] {
            #expect(throws: (any Error).self, "\(refused)") { try length(refused) }
        }
    }

    @Test(
        "A daily take keeps its time of day when summer time begins or ends",
        arguments: [
            ["2026-03-28T18:00+01:00", "2026-03-29T18:00+02:00", "2026-03-30T18:00+02:00"],
            ["2026-10-24T18:00+02:00", "2026-10-25T18:00+01:00", "2026-10-26T18:00+01:00"],
            // A skipped time is as long after the change; a repeated one is its first occurrence.
            ["2026-03-28T02:30+01:00", "2026-03-29T03:30+02:00", "2026-03-30T02:30+02:00"],
            ["2026-10-24T02:30+02:00", "2026-10-25T02:30+02:00", "2026-10-26T02:30+01:00"],
        ])
    func days(times: [String]) async throws {
        let expected = try times.map(BerlinTime.instant)
        let trial = try await ScheduleTrial("--every 24h --for 10m", at: expected[0], [(200_000, .end)])
        #expect(trial.wallTimes == expected)
    }

    @Test(
        "An hourly take begins every hour when summer time begins or ends",
        arguments: ["2026-03-29T00:00+01:00", "2026-10-25T00:00+02:00"])
    func hours(first: String) async throws {
        let trial = try await ScheduleTrial(
            "--every 1h --for 10m", at: try BerlinTime.instant(first), [(20_000, .end)])
        #expect(trial.beginnings == (0..<6).map { $0 * 3_600 })
    }

    @Test("After the clock is set back, takes continue at the times it shows, and none is repeated too soon")
    func clockThatIsSet() async throws {
        let cases: [(shift: Int, step: Int, beginnings: [Int])] = [
            (0, 1, [0, 600, 1_200, 1_800]),
            // By whole intervals: during a take, between takes, and just before one.
            (-3_600, 630, [0, 600, 1_200, 1_800]), (-3_600, 900, [0, 600, 1_200, 1_800]),
            (-3_600, 1_199, [0, 600, 1_200, 1_800]), (-86_400, 900, [0, 600, 1_200, 1_800]),
            // By part of an interval: the next take is the one closest to an interval after the last.
            (-3_500, 900, [0, 600, 1_100, 1_700]), (-3_700, 900, [0, 600, 1_300, 1_900]),
            (-3, 630, [0, 600, 1_203, 1_803]), (-200, 700, [0, 600, 1_400]), (-320, 700, [0, 600, 920, 1_520]),
            // To before the first take.
            (-1_000, 90, [0, 400, 1_000, 1_600]),
            // Forward: into a take.
            (3_600, 900, [0, 600, 1_200, 1_800]), (310, 900, [0, 600, 900, 1_490]), (400, 900, [0, 600, 1_400]),
        ]
        for (shift, step, expected) in cases {
            let trial = try await ScheduleTrial(
                Self.often, at: Self.start, [(step, .set(by: shift)), (1_950, .end)])
            #expect(trial.beginnings == expected, "by \(shift) s at \(step)")
        }
    }

    @Test("Takes whose time has passed when the clock is set forward are skipped, with a message and a failure")
    func clockThatIsSetForward() async throws {
        let cases: [(shift: Int, step: Int, message: String?)] = [
            (0, 900, nil), (300, 800, nil), (400, 900, "skipped 1 take, whose time has passed"),
            (3_600, 900, "skipped 6 takes, whose time has passed"),
            (3_600, 630, "skipped 6 takes, whose time has passed"), (-3_600, 900, nil),
        ]
        for (shift, step, message) in cases {
            let trial = try await ScheduleTrial(
                Self.often, at: Self.start, [(step, .set(by: shift)), (1_950, .end)])
            #expect(trial.messages.dropLast() == (message.map { [$0] } ?? []), "by \(shift) s at \(step)")
            #expect(trial.status == (message == nil ? .success : .failure))
        }
    }

    @Test("A single take at a time follows the wall clock; one after a time does not")
    func clockThatIsSetDuringTheWait() async throws {
        for (shift, beginning) in [(-600, 4_200), (600, 3_000), (7_200, 1_000)] {
            let events = [(1_000, SimulatedClocks.Event.set(by: shift))]
            let time = try await ScheduleTrial("--start-at 19:00 --for 1m", at: Self.start, events)
            #expect(time.beginnings == [beginning] && time.status == .success, "by \(shift) s")
            let length = try await ScheduleTrial("--start-in 1h --for 1m", at: Self.start, events)
            #expect(length.beginnings == [3_600] && length.status == .success, "by \(shift) s")
        }
    }

    @Test("When a take lasts into the next one, that begins at once; takes that it covers are skipped")
    func overrun() async throws {
        let cases: [(delay: Double, second: Int, message: String?)] = [
            (539, 600, nil), (540, 600, nil), (570, 630, nil), (599, 659, nil),
            (600, 1_200, "skipped 1 take, whose time has passed"),
            (1_210, 1_800, "skipped 2 takes, whose time has passed"),
        ]
        for (delay, second, message) in cases {
            let trial = try await ScheduleTrial(Self.often, at: Self.start, [(second + 300, .end)]) {
                $0 == 0 ? delay : 0
            }
            #expect(trial.beginnings == [0, second], "\(delay) s")
            #expect(trial.messages.dropLast() == (message.map { [$0] } ?? []), "\(delay) s")
        }
    }

    @Test("A take whose source cannot be opened is not repeated, and the next one begins at its time")
    func failure() async throws {
        let trial = try await ScheduleTrial(Self.often, at: Self.start, [(1_500, .end)]) {
            if $0 == 1 { throw Example.error }
            return 0
        }
        #expect(trial.beginnings == [0, 1_200])
        #expect(trial.status == .diskFull && trial.messages.count == 2)
        #expect(trial.messages.first?.contains("cannot write 'take.wav'") == true)
        // Nor is one that begins at once because the clock was set to a time within it.
        let moved = try await ScheduleTrial(Self.often, at: Self.start, [(900, .set(by: 3_910)), (1_800, .end)]) {
            if $0 == 2 { throw Example.error }
            return 0
        }
        #expect(moved.beginnings == [0, 600, 1_490] && moved.messages.count == 3)
        // A single take has none after it.
        await #expect(throws: Example.error) {
            try await ScheduleTrial("--start-in 1h", at: Self.start) { _ in throw Example.error }
        }
    }
}
