import ACCAudioRecorder
import TestSupport

@testable import AccrecCommands

/// A schedule that is kept by simulated clocks, with takes that record nothing.
struct ScheduleTrial {
    /// When takes began, by the boot time in seconds.
    private(set) var beginnings: [Int] = []
    /// The same by the wall clock, in seconds since 1970.
    private(set) var wallTimes: [Int] = []
    private(set) var messages: [String] = []
    private(set) var status: ExitStatus?

    /// Keeps the schedule of a command line to its end.
    ///
    /// - Parameters:
    ///   - options: The options of the schedule.
    ///   - wallTime: The wall-clock time at the start of the program, in seconds since 1970; the boot time is 0.
    ///   - events: What happens, at which boot times, in order.
    ///   - delay: How many seconds longer than requested a take lasts, because its source is away. Throws if the source
    ///     cannot be opened. Receives the place of the take in the order, counted from 0.
    init(
        _ options: String, at wallTime: Int, _ events: [(time: Int, event: SimulatedClocks.Event)] = [],
        delay: (Int) throws -> Double = { _ in 0 }
    ) async throws {
        let clocks = SimulatedClocks(wallTime, events)
        let parsed = try ScheduleOptions.parse(options.split(separator: " ").map { String($0) }).schedule(
            at: clocks.now)
        guard let (schedule, first) = parsed else { return }
        var (begun, told): ([ClockReading], [String]) = ([], [])
        var count = 0
        let takes = ScheduledTakes(schedule: schedule, first: first, clock: clocks.clock) { told.append($0) }
        status = try await takes.run { appointment, didBegin in
            defer { count += 1 }
            // Like `RecordingRun`, which opens the source shortly before the time.
            var event = await clocks.wait(for: appointment, lead: 2)
            if event == .end { return nil }
            didBegin(clocks.now.later(by: max(appointment.remaining(at: clocks.now), 0)))
            let delay = try delay(count)
            if event == nil { event = await clocks.wait(for: appointment) }
            if event == .end { return nil }
            didBegin(clocks.now)
            begun.append(clocks.now)
            event = clocks.advance(by: schedule.length + delay)
            return .init(status: .success, isLast: event == .end)
        }
        beginnings = begun.map { Int($0.bootTime.rounded()) }
        wallTimes = begun.map { Int($0.wallTime.rounded()) }
        messages = told
    }
}
