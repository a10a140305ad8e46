import Foundation

/// Shifts the boot-time clock of a program with `Tests/Preload/clock.c`: a file with a number, and the library beside it.
public struct ShiftedClock: Sendable {
    private let file: URL

    /// Creates an unshifted clock, for programs started with `variables`.
    public init(in directory: URL) async throws {
        file = directory.appending(path: "clock")
        try await CHelper.compile("Preload/clock.c", to: file.appendingPathExtension("so"), CHelper.preloaded)
        try Data(count: 4).write(to: file)
    }

    /// The environment for a program that uses it.
    public var variables: [String: String] {
        ["LD_PRELOAD": file.appendingPathExtension("so").path, "CLOCK_SHIFT": file.path]
    }

    /// Makes the clock show this many seconds more than the real time.
    public func shift(by seconds: Int32) throws {
        // Written in place, because the file is memory-mapped.
        let file = try FileHandle(forUpdating: file)
        defer { try? file.close() }
        try file.write(contentsOf: withUnsafeBytes(of: seconds) { Data($0) })
    }
}
