import Glibc

/// Decides what a sequence of termination signals asks for.
///
/// The first one asks to finish the take. Further ones in quick succession have the same cause: a closed terminal and
/// its shell both send SIGHUP; timeout(1) sends SIGTERM to its child and to the process group; systemd sends SIGTERM
/// and SIGHUP. They must not cut a take short. Only a second Ctrl-C some time after the first is a deliberate request
/// to exit at once.
struct EndingSignals {
    enum Request: Equatable {
        case finish
        case quit
    }

    /// The minimum interval between two deliberate key presses, in nanoseconds.
    static let shortestInterval: UInt64 = 100_000_000

    private var isFinishing = false
    private var firstInterrupt: UInt64?

    /// - Parameter time: When the signal arrived, in nanoseconds.
    /// - Returns: The request, or nil if it was made before.
    mutating func receive(_ number: Int32, at time: UInt64) -> Request? {
        if number == SIGINT {
            if let firstInterrupt, time >= firstInterrupt, time - firstInterrupt >= Self.shortestInterval {
                return .quit
            }
            firstInterrupt = firstInterrupt ?? time
        }
        guard !isFinishing else { return nil }
        isFinishing = true
        return .finish
    }
}
