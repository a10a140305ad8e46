import ACCAudioRecorder
import Glibc

/// A time at which a take is to begin.
enum Appointment {
    /// By the clock on the wall, which may be set meanwhile; in seconds since 1970.
    case at(Double)
    /// So many seconds from a time by the clock that nobody sets, which also runs while the machine sleeps.
    case after(Double, since: Double)

    /// How often the clock is looked at, for it may be set.
    private static let lookInterval = 1.0

    /// How many seconds it is until then; 0 or less when it has come.
    var remaining: Double {
        switch self {
        case .at(let instant): instant - Self.seconds(CLOCK_REALTIME)
        case .after(let seconds, let start): start + seconds - Self.seconds(CLOCK_BOOTTIME)
        }
    }

    /// Waits until then, or until the task is cancelled.
    ///
    /// - Parameter lead: How many seconds earlier it ends.
    func wait(lead: Double = 0) async {
        while !Task.isCancelled, remaining > lead {
            try? await Task.sleep(for: .seconds(min(remaining - lead, Self.lookInterval)))
        }
    }

    /// In seconds since 1970, or since the machine was started.
    static func seconds(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }
}
