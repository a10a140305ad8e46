import Foundation
import Glibc

/// Stops a single thread of another process, as on a machine too busy to run it. The rest of the process continues.
public enum StoppedThread {
    /// Runs a body while the thread is stopped.
    ///
    /// - Parameters:
    ///   - name: The name of the thread, at most 15 bytes.
    ///   - processID: A child of this process.
    public static func with<Value>(
        named name: String, of processID: pid_t, _ body: () async throws -> Value
    ) async throws -> Value {
        guard let thread = try thread(named: name, of: processID) else {
            throw CommandFailure("process \(processID) has no thread '\(name)'")
        }
        let isOver = DispatchSemaphore(value: 0)
        try await withCheckedThrowingContinuation { (stopped: CheckedContinuation<Void, any Error>) in
            // The tracer is a thread, too; when it ends, the traced thread continues.
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

    /// Stops a thread until the calling thread ends. Returns an error number on failure.
    private static func stop(_ thread: pid_t) -> CInt? {
        guard trace(PTRACE_SEIZE, thread, nil, nil) == 0, trace(PTRACE_INTERRUPT, thread, nil, nil) == 0 else {
            return errno
        }
        return waitpid(thread, nil, __WALL) == thread ? nil : errno
    }

    // Glibc's module lacks these, because `ptrace` is variadic.
    private typealias Trace = @convention(c) (CInt, pid_t, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> Int
    private static let trace = unsafeBitCast(dlsym(nil, "ptrace"), to: Trace.self)
    private static let PTRACE_SEIZE: CInt = 0x4206
    private static let PTRACE_INTERRUPT: CInt = 0x4207
    private static let __WALL: CInt = 0x4000_0000
}
