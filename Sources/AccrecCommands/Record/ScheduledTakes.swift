import ACCAudioRecorder
import Glibc

/// Waits for scheduled takes and records them.
struct ScheduledTakes {
    let schedule: Schedule
    /// When the first take begins.
    let first: Appointment
    let isQuiet: Bool

    /// How long before its time a take is prepared, in seconds.
    private static let lead = 2.0

    /// Records takes until the schedule ends or the user stops it.
    ///
    /// - Parameters:
    ///   - link: The link to the supervisor, if there is one.
    ///   - take: Creates the next take.
    ///   - conclude: Reports the result of a take and returns its status.
    /// - Returns: The first failure, or success.
    func run(
        behind link: SupervisorLink?, by signals: JobSignals, _ take: () throws -> TakeRun,
        conclude: (RecordingReport, LevelOverview) -> ExitStatus
    ) async throws -> ExitStatus {
        var appointment = first
        // The number of the pending take, and when it began.
        var number = 0
        var begin = ClockReading.now
        var failures: [ExitStatus] = []
        while true {
            do {
                guard let result = try await make(take, at: appointment, &begin, behind: link, by: signals) else {
                    StandardError.tell("ended before \(number == 0 ? "the recording" : "the next recording") began")
                    return failures.first ?? (number == 0 ? .failure : .success)
                }
                if let report = result.report {
                    let status = conclude(report, result.overview)
                    if status != .success { failures.append(status) }
                    if report.ending == .finished { break }
                }
            } catch let error as ACCAudioRecorderError where schedule.interval != nil {
                // Continue with the next take.
                StandardError.tell(ErrorText.line(error))
                failures.append(ExitStatus(error))
            }
            // The clock may have been set during the wait.
            let last = appointment.nextTake(at: begin)?.number ?? number
            appointment = .next(schedule, after: last, since: begin.bootTime)
            guard let next = appointment.nextTake() else { break }
            let missed = max(last - number, 0) + max(next.number - last - 1, 0)
            if missed > 0 {
                StandardError.tell("skipped \(missed) take\(missed == 1 ? "" : "s"), whose time has passed")
                failures.append(.failure)
            }
            number = next.number
        }
        return failures.first ?? .success
    }

    /// Records one take at its time, opening the source in advance.
    ///
    /// - Parameter begin: Set to when the take began or was to begin.
    /// - Returns: Nil if the user ended the wait.
    private func make(
        _ take: () throws -> TakeRun, at appointment: Appointment, _ begin: inout ClockReading,
        behind link: SupervisorLink?, by signals: JobSignals
    ) async throws -> (report: RecordingReport?, overview: LevelOverview)? {
        guard await wait(for: appointment, lead: Self.lead, behind: link, by: signals) else { return nil }
        begin = ClockReading.now.later(by: max(appointment.remaining(), 0))
        let run = try take()
        let recorder = try await signals.exitingIfEnded { try await run.prepare() }
        guard await wait(for: appointment, lead: 0, behind: link, by: signals) else {
            await recorder.finishRecording()
            return nil
        }
        begin = .now
        return try await run.run(recorder, behind: link, by: signals)
    }

    private func tell(_ appointment: Appointment) {
        let seconds = appointment.remaining()
        guard !isQuiet, seconds > 0 else { return }
        let time = TimeText.dateAndTime(of: Int((ClockReading.now.wallTime + seconds).rounded()))
        StandardError.tell("recording begins at \(time), in \(TimeText.rough(seconds)); Ctrl-C cancels")
    }

    /// Waits until `lead` seconds before a take.
    ///
    /// - Returns: False if the user ended the wait.
    private func wait(
        for appointment: Appointment, lead: Double, behind link: SupervisorLink?, by signals: JobSignals
    ) async -> Bool {
        let requests = signals.requests
        guard !signals.isEnding else { return false }
        if lead > 0 { tell(appointment) }
        return await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                await appointment.wait(lead: lead)
                return true
            }
            group.addTask {
                for await request in requests {
                    switch request {
                    case .finish, .quit: return false
                    case .leave: link?.didReleaseTerminal()
                    case .split, .pauseOrResume, .comeBack, .windowChanged: continue
                    }
                }
                return true
            }
            defer { group.cancelAll() }
            return await group.next() ?? true
        }
    }
}
