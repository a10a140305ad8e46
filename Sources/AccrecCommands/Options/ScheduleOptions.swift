import ACCAudioRecorder
import ArgumentParser
import Glibc

/// Options for when takes begin.
struct ScheduleOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Start at this local time: 18:00, 18:00:30, 2026-11-21T18:00; or with an offset: …Z, …+01:00.",
            valueName: "time"),
        transform: { text in
            guard let time = StartTime(text) else {
                throw ValidationError(
                    "give a time of day, such as 18:00, or a date and a time, such as 2026-11-21T18:00")
            }
            return time
        })
    var startAt: StartTime?

    @Option(
        help: ArgumentHelp("Start after this time: 5m, 1h, 90s.", valueName: "time"), transform: RecordingLength.parse)
    var startIn: RecordingLength?

    @Option(
        help: ArgumentHelp(
            "Start a recording at this interval: 1h, 30m, 24h. Needs --for, and file names with a time or number.",
            valueName: "time"),
        transform: RecordingLength.parse)
    var every: RecordingLength?

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("Stop each recording after exactly this time, as --max does.", valueName: "time"),
        transform: RecordingLength.parse)
    var length: RecordingLength?

    @Option(
        help: ArgumentHelp(
            """
            Begin this long before the start, up to 10m, with audio kept in memory. The start is space, Enter, SIGUSR2, \
            'accrec ctl start', a sound (--start-on-sound) or a time (--start-at).
            """, valueName: "time"),
        transform: { text in
            let length = try RecordingLength.parse(text)
            guard length.seconds <= ACCAudioRecorder.longestPreRoll else {
                throw ValidationError("give at most 10 minutes: they are kept in memory")
            }
            return length
        })
    var preRoll: RecordingLength?

    func validate() throws {
        guard startAt == nil || startIn == nil else {
            throw ValidationError("--start-at and --start-in exclude each other")
        }
        guard let every else { return }
        guard let length, length.seconds < every.seconds else {
            throw ValidationError("--every needs --for with a shorter time")
        }
        guard every.seconds.rounded() == every.seconds else {
            throw ValidationError("--every takes whole seconds")
        }
    }

    /// The schedule and its first take; nil if the recording begins now.
    ///
    /// - Throws: A `ValidationError` for a time that has passed.
    func schedule(at clocks: ClockReading = .now) throws -> (schedule: Schedule, first: Appointment)? {
        guard startAt != nil || startIn != nil || every != nil else { return nil }
        let now = clocks.wallTime
        let appointment: Appointment
        if let startAt {
            let instant = Double(startAt.instant(after: Int(now)))
            guard instant > now - 1 else {
                throw ValidationError("the time of --start-at has passed")
            }
            appointment = .at(instant)
        } else {
            appointment = .after(startIn?.seconds ?? 0, since: clocks.bootTime)
        }
        let first = Int((now + max(appointment.remaining(at: clocks), 0)).rounded())
        let schedule = Schedule(
            first: first, interval: every.map { Int($0.seconds) }, length: length?.seconds ?? .infinity)
        return (schedule, appointment)
    }
}
