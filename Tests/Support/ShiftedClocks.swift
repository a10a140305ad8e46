import Foundation

/// Shifts the clocks of a program with `Tests/Preload/clocks.c`: a file with two numbers, and the library beside it.
public struct ShiftedClocks: Sendable {
    /// A clock, with the index of its number in the file.
    public enum Clock: Int, Sendable {
        /// CLOCK_BOOTTIME, which advances during sleep.
        case bootTime = 0
        /// CLOCK_REALTIME, which may be set.
        case wall = 1
    }

    private let file: URL

    /// Creates unshifted clocks, for programs started with `variables`.
    public init(in directory: URL) async throws {
        file = directory.appending(path: "clocks")
        try await CHelper.compile("Preload/clocks.c", to: file.appendingPathExtension("so"), CHelper.preloaded)
        try Data(count: 8).write(to: file)
    }

    /// The environment for a program that uses them.
    public var variables: [String: String] {
        ["LD_PRELOAD": file.appendingPathExtension("so").path, "CLOCK_SHIFTS": file.path]
    }

    /// Makes a clock show this many seconds more than the real time.
    public func shift(_ clock: Clock, by seconds: Int32) throws {
        // Written in place, because the file is memory-mapped.
        let file = try FileHandle(forUpdating: file)
        defer { try? file.close() }
        try file.seek(toOffset: UInt64(clock.rawValue * 4))
        try file.write(contentsOf: withUnsafeBytes(of: seconds) { Data($0) })
    }
}
