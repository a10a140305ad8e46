import ACCAudioRecorder
import ArgumentParser
import Glibc

/// Options for when takes begin.
struct ScheduleOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Start at this local time: 18:00, 18:00:30, 2026-11-21T18:00; or with an offset: …Z, …+01:00.",
            valueName: "time"),
        transform: WallTime.parse)
    var startAt: WallTime?

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
        help: ArgumentHelp("Stop at this local time, as of --start-at: 19:30.", valueName: "time"),
        transform: WallTime.parse)
    var until: WallTime?

    @Option(
        help: ArgumentHelp(
            """
            Begin this long before the start, up to 10m, with audio kept in memory. The start is space, Enter, SIGUSR2, \
            'accrec ctl start', a sound (--start-on-sound) or a time (--start-at).
            """, valueName: "time"),
        transform: { text in
            let length = try RecordingLength.parse(text)
            guard length.duration <= ACCAudioRecorder.longestPreRoll else {
                throw ValidationError("give at most 10 minutes: they are kept in memory")
            }
            return length
        })
    var preRoll: RecordingLength?

    @Flag(
        name: .customLong("repeat"),
        help: """
            Record one take after another from a source that stays open: armed again after each, until Ctrl-C. Needs file \
            names with a time or number.
            """)
    var repeats = false

    func validate() throws {
        guard !repeats || (startAt == nil && startIn == nil && every == nil) else {
            throw ValidationError(
                "--repeat excludes --start-at, --start-in and --every: takes are started by hand or by sound")
        }
        guard startAt == nil || startIn == nil else {
            throw ValidationError("--start-at and --start-in exclude each other")
        }
        guard let every else { return }
        guard until == nil else { throw ValidationError("--every and --until exclude each other: give --for") }
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
        let appointment = try firstAppointment(at: clocks)
        let schedule = Schedule(
            first: appointment.instant(at: clocks), interval: every.map { Int($0.seconds) },
            length: length?.seconds ?? .infinity)
        return (schedule, appointment)
    }

    /// When the recording ends by the clock; nil if it does not.
    ///
    /// - Throws: A `ValidationError` for a time that has passed, or is not after the first take's beginning.
    func end(at clocks: ClockReading = .now) throws -> Appointment? {
        guard let until else { return nil }
        let begin = try firstAppointment(at: clocks).instant(at: clocks)
        let end = until.instant(after: begin)
        guard Double(end) > clocks.wallTime else { throw ValidationError("the time of --until has passed") }
        guard end > begin else { throw ValidationError("the recording would begin at the time of --until, or later") }
        return .at(Double(end))
    }

    private func firstAppointment(at clocks: ClockReading) throws -> Appointment {
        guard let startAt else { return .after(startIn?.seconds ?? 0, since: clocks.bootTime) }
        let instant = Double(startAt.instant(after: Int(clocks.wallTime)))
        guard instant > clocks.wallTime - 1 else { throw ValidationError("the time of --start-at has passed") }
        return .at(instant)
    }
}

extension Appointment {
    /// When the time comes, in seconds since 1970.
    fileprivate func instant(at clocks: ClockReading) -> Int {
        Int((clocks.wallTime + max(remaining(at: clocks), 0)).rounded())
    }
}

extension WallTime {
    fileprivate static func parse(_ text: String) throws -> WallTime {
        guard let time = WallTime(text) else {
            throw ValidationError("give a time of day, such as 18:00, or a date and a time, such as 2026-11-21T18:00")
        }
        return time
    }
}
