import Foundation
import Glibc

/// A thread of another process that is kept from running, as on a machine that has no time for it. The rest of the process
/// goes on.
public enum StoppedThread {
    /// Runs a body while the thread stands still.
    ///
    /// - Parameters:
    ///   - name: The thread's own, of at most 15 bytes.
    ///   - processID: A child of this process.
    public static func with<Value>(
        named name: String, of processID: pid_t, _ body: () async throws -> Value
    ) async throws -> Value {
        guard let thread = try thread(named: name, of: processID) else {
            throw CommandFailure("process \(processID) has no thread '\(name)'")
        }
        let isOver = DispatchSemaphore(value: 0)
        try await withCheckedThrowingContinuation { (stopped: CheckedContinuation<Void, any Error>) in
            // Whoever traces a thread is a thread itself; with its end the other one goes on.
            Thread.detachNewThread {
                guard let error = stop(thread) else {
                    stopped.resume()
                    isOver.wait()
                    return
                }
                stopped.resume(throwing: CommandFailure("cannot stop '\(name)': \(String(cString: strerror(error)))"))
            }
        }
        defer { isOver.signal() }
        return try await body()
    }

    private static func thread(named name: String, of processID: pid_t) throws -> pid_t? {
        let tasks = "/proc/\(processID)/task"
        return try FileManager.default.contentsOfDirectory(atPath: tasks).first {
            (try? String(contentsOfFile: "\(tasks)/\($0)/comm", encoding: .utf8)) == name + "\n"
        }.flatMap { pid_t($0) }
    }

    /// Stops a thread, for as long as the calling one lasts; otherwise says why not.
    private static func stop(_ thread: pid_t) -> CInt? {
        guard trace(PTRACE_SEIZE, thread, nil, nil) == 0, trace(PTRACE_INTERRUPT, thread, nil, nil) == 0 else {
            return errno
        }
        return waitpid(thread, nil, __WALL) == thread ? nil : errno
    }

    // Glibc's module has none of this, for `ptrace` takes a varying number of arguments.
    private typealias Trace = @convention(c) (CInt, pid_t, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> Int
    private static let trace = unsafeBitCast(dlsym(nil, "ptrace"), to: Trace.self)
    private static let PTRACE_SEIZE: CInt = 0x4206
    private static let PTRACE_INTERRUPT: CInt = 0x4207
    private static let __WALL: CInt = 0x4000_0000
}
