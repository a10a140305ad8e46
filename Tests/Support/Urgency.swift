import Foundation

/// Runs players and feeders before all other work, if that is permitted: one that has to wait leaves silence.
enum Urgency {
    private static let priority: CInt = 10

    /// What to put before the command of a player. No shell, which would drop variables such as `PULSE_PROP_media.role`.
    static let command = isPermitted ? ["chrt", "--rr", "\(priority)"] : []

    /// Whether it is permitted, tried with the calling thread.
    private static let isPermitted: Bool = {
        guard schedule(SCHED_RR, priority) else { return false }
        return schedule(SCHED_OTHER, 0)
    }()

    /// Has the calling thread run before all other work, until it ends.
    static func raiseThread() {
        _ = schedule(SCHED_RR, priority)
    }

    private static func schedule(_ policy: CInt, _ priority: CInt) -> Bool {
        var parameter = sched_param()
        parameter.sched_priority = priority
        return pthread_setschedparam(pthread_self(), policy, &parameter) == 0
    }
}
