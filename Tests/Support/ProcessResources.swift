import Foundation

/// The resources held by this process.
public struct ProcessResources: Sendable {
    /// The number of open file descriptors.
    public let descriptors: Int
    /// The number of threads.
    public let threads: Int
    /// The memory that it occupies, in kB.
    public let residentKilobytes: Int

    /// The threads of a recording, by name: libpulse's main loop and ours.
    private static let recordingThreads: Set<String> = ["threaded-ml", "capture", "engine", "output", "sync"]

    /// The resources after the threads of the last recording have ended.
    public static func settled() async throws -> ProcessResources {
        try await eventually("an end of the recording threads") {
            let names = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").compactMap {
                try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8)
            }
            return recordingThreads.isDisjoint(with: names.map { String($0.dropLast()) })
        }
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        func field(_ name: String) -> Int {
            let line = status.split(separator: "\n").first { $0.hasPrefix(name + ":") }
            return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? -1
        }
        return ProcessResources(
            descriptors: try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count,
            threads: field("Threads"), residentKilobytes: field("VmRSS"))
    }
}
