import Glibc
import Synchronization
import SystemPackage

/// Keeps some of the descriptors that the process may open free: libdispatch traps in the middle of a recording where it
/// gets none.
package enum FreeDescriptors {
    /// What opens descriptors.
    package enum Use: Int {
        /// A client of a recording. Leaves room for whatever the recording may need.
        case client = 1
        /// A file and its directory. Leaves room for a connection.
        case file = 2
        /// A program that is run for a file. Leaves room for files and a connection.
        case program = 4
        /// A connection with a stream, which a recording needs whose source comes back.
        case connection = 8

        /// How many of them are kept free, at least.
        fileprivate var reserve: Int {
            switch self {
            case .client: 24
            case .program: 18
            case .file: 16
            case .connection: 4
            }
        }
    }

    /// How many are about to be opened.
    private static let claimed = Mutex(0)

    /// Runs a body that opens descriptors.
    ///
    /// - Throws: `tooManyOpenFiles` if too few are left; errors of the body.
    package static func claim<Value: ~Copyable>(
        for use: Use, _ body: () throws(Errno) -> Value
    ) throws(Errno) -> Value {
        let areThere = claimed.withLock { claimed in
            guard exist(claimed + use.rawValue + use.reserve) else { return false }
            claimed += use.rawValue
            return true
        }
        guard areThere else { throw .tooManyOpenFiles }
        defer { claimed.withLock { $0 -= use.rawValue } }
        return try body()
    }

    /// Whether this many are free. Looks from the highest number down, because free ones are there.
    private static func exist(_ count: Int) -> Bool {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return true }
        var number = Int32(clamping: limit.rlim_cur)
        var free = 0
        while free < count, number > 0 {
            number -= 1
            if fcntl(number, F_GETFD) < 0 { free += 1 }
        }
        return free == count
    }
}
