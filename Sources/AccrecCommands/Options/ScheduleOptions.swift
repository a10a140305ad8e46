import ArgumentParser
import Glibc

/// When takes begin.
struct ScheduleOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Begin at this time, local: 18:00, 18:00:30, 2026-11-21T18:00; or with an offset, …Z, …+01:00.",
            valueName: "time"),
        transform: { text in
            guard let time = StartTime(text) else {
                throw ValidationError(
                    "give a time of day, such as 18:00, or a date and a time, such as 2026-11-21T18:00")
            }
            return time
        })
    var startAt: StartTime?

    @Option(help: ArgumentHelp("Begin after so long: 5m, 1h, 90s.", valueName: "time"), transform: TakeLength.parse)
    var startIn: TakeLength?

    @Option(
        help: ArgumentHelp(
            "Begin a take again and again, this often: 1h, 30m, 24h. Needs --for, and names with a time or a number in them.",
            valueName: "time"),
        transform: TakeLength.parse)
    var every: TakeLength?

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("End each take after exactly this long, as --max does.", valueName: "time"),
        transform: TakeLength.parse)
    var length: TakeLength?

    func validate() throws {
        guard startAt == nil || startIn == nil else {
            throw ValidationError("--start-at and --start-in exclude each other")
        }
        guard let every else { return }
        guard let length, length.seconds < every.seconds else {
            throw ValidationError("--every needs --for, which says how long each take is, and is shorter")
        }
        guard every.seconds.rounded() == every.seconds else {
            throw ValidationError("--every takes whole seconds")
        }
    }

    /// The takes that are to begin at their time; nil for one that begins now.
    ///
    /// - Throws: A `ValidationError` for a time that has passed.
    func takes(isQuiet: Bool) throws -> ScheduledTakes? {
        guard startAt != nil || startIn != nil || every != nil else { return nil }
        let now = Appointment.seconds(CLOCK_REALTIME)
        let appointment: Appointment
        if let startAt {
            let instant = Double(startAt.instant(after: Int(now)))
            guard instant > now - 1 else {
                throw ValidationError("The time of --start-at has passed.")
            }
            appointment = .at(instant)
        } else {
            appointment = .after(startIn?.seconds ?? 0, since: Appointment.seconds(CLOCK_BOOTTIME))
        }
        let first = Int((now + max(appointment.remaining, 0)).rounded())
        return ScheduledTakes(
            schedule: Schedule(
                first: first, interval: every.map { Int($0.seconds) }, length: length?.seconds ?? .infinity),
            first: appointment, isQuiet: isQuiet)
    }
}
