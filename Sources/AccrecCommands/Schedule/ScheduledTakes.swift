import ACCAudioRecorder
import Glibc

/// Takes that begin at their time: waits for each, and has it made.
struct ScheduledTakes {
    let schedule: Schedule
    /// When the first begins.
    let first: Appointment
    let isQuiet: Bool

    /// How long before its time a take is prepared, in seconds.
    private static let lead = 2.0

    /// Makes one take after the other until there is none any more, or the user ends them.
    ///
    /// - Parameters:
    ///   - link: To the process in front, where there is one.
    ///   - take: The next take.
    ///   - conclude: Is told what became of it, and says which status that is.
    /// - Returns: The status of the first that failed, or success.
    func run(
        behind link: FrontLink?, by signals: JobSignals, _ take: () throws -> TakeRun,
        conclude: (RecordingReport, LevelPicture) -> ExitStatus
    ) async throws -> ExitStatus {
        var appointment = first
        var number = 0
        var failures: [ExitStatus] = []
        while true {
            do {
                guard let result = try await make(take, at: appointment, behind: link, by: signals) else {
                    StandardError.write("accrec: ended before \(number == 0 ? "the take" : "the next take") began.\n")
                    return failures.first ?? (number == 0 ? .failure : .success)
                }
                if let report = result.report {
                    let status = conclude(report, result.picture)
                    if status != .success { failures.append(status) }
                    if report.ending == .finished { break }
                }
            } catch let error as ACCAudioRecorderError where schedule.interval != nil {
                // The next one may go better.
                StandardError.write("accrec: \(error)\n")
                failures.append(ExitStatus(error))
            }
            guard let next = schedule.next(after: number, now: Appointment.seconds(CLOCK_REALTIME)) else { break }
            let missed = next.number - number - 1
            if missed > 0 {
                StandardError.write(
                    "accrec: left out \(missed) take\(missed == 1 ? "" : "s"), whose time has passed.\n")
                failures.append(.failure)
            }
            number = next.number
            appointment = .at(Double(next.beginning))
        }
        return failures.first ?? .success
    }

    /// Makes one take at its time, with the source open before.
    ///
    /// - Returns: Nil where the user does not want to wait any longer.
    private func make(
        _ take: () throws -> TakeRun, at appointment: Appointment, behind link: FrontLink?, by signals: JobSignals
    ) async throws -> (report: RecordingReport?, picture: LevelPicture)? {
        guard await wait(for: appointment, lead: Self.lead, behind: link, by: signals) else { return nil }
        let run = try take()
        let recorder = try await run.prepare()
        guard await wait(for: appointment, lead: 0, behind: link, by: signals) else {
            await recorder.finishRecording()
            return nil
        }
        return try await run.run(recorder, behind: link, by: signals)
    }

    private func tell(_ appointment: Appointment) {
        let seconds = appointment.remaining
        guard !isQuiet, seconds > 0 else { return }
        let time = TimeText.dateAndTime(of: Int((Appointment.seconds(CLOCK_REALTIME) + seconds).rounded()))
        StandardError.write(
            "accrec: a take begins at \(time), in \(TimeText.rough(seconds)). Ctrl-C ends the waiting.\n")
    }

    /// Waits until so many seconds before a take.
    ///
    /// - Returns: False where the user does not want to wait any longer.
    private func wait(
        for appointment: Appointment, lead: Double, behind link: FrontLink?, by signals: JobSignals
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
                    case .leave: link?.letGoOfTerminal()
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
