import ACCAudioRecorder

/// Waits for scheduled takes and records them.
struct ScheduledTakes {
    let schedule: Schedule
    /// When the first take begins.
    let first: Appointment
    var clock = Schedule.Clocks.system
    /// Receives messages for the user.
    var tell: (String) -> Void = StandardError.tell

    /// How a take has ended.
    struct End {
        /// Nil if there is no report of it.
        let status: ExitStatus?
        /// Whether the user ended it, and so all takes.
        let isLast: Bool
    }

    /// Records takes until the schedule ends or the user stops it.
    ///
    /// - Parameter take: Records and reports the next take, and tells when it begins, like `RecordingRun.run`; nil if the user
    ///   ended the wait for it.
    /// - Returns: The first failure, or success.
    func run(
        _ take: (_ appointment: Appointment, _ didBegin: (ClockReading) -> Void) async throws -> End?
    ) async throws -> ExitStatus {
        var appointment = first
        // The number of the pending take, and when it began.
        var number = 0
        var begin = clock.now()
        var failures: [ExitStatus] = []
        while true {
            do {
                guard let end = try await take(appointment, { begin = $0 }) else {
                    tell("ended before \(number == 0 ? "the recording" : "the next recording") began")
                    return failures.first ?? (number == 0 ? .failure : .success)
                }
                if let status = end.status, status != .success { failures.append(status) }
                if end.isLast { break }
            } catch let error as ACCAudioRecorderError where schedule.interval != nil {
                // Continue with the next take.
                tell(ErrorText.line(error))
                failures.append(ExitStatus(error))
            }
            // The clock may have been set during the wait.
            let last = appointment.nextTake(at: begin)?.number ?? number
            appointment = .next(schedule, after: last, since: begin.bootTime)
            guard let next = appointment.nextTake(at: clock.now()) else { break }
            let missed = max(last - number, 0) + max(next.number - last - 1, 0)
            if missed > 0 {
                tell("skipped \(missed) take\(missed == 1 ? "" : "s"), whose time has passed")
                failures.append(.failure)
            }
            number = next.number
        }
        return failures.first ?? .success
    }
}
