import CPulse
import SystemPackage

/// The main loop of a connection, which runs on its own thread: the capture thread of the connection's streams.
///
/// `@unchecked Sendable`: libpulse's threaded main loop may be called from any thread. What belongs to the loop is used
/// only under its lock, which its thread releases while it waits.
final class PulseMainLoop: @unchecked Sendable {
    private let loop: OpaquePointer

    init() throws(CaptureFailure) {
        do throws(Errno) {
            loop = try FreeDescriptors.claim(for: .connection) { () throws(Errno) in
                guard let loop = pa_threaded_mainloop_new() else { throw .noMemory }
                return loop
            }
        } catch {
            throw CaptureFailure(.system, "\(error)")
        }
        pa_threaded_mainloop_set_name(loop, "capture")
    }

    deinit {
        pa_threaded_mainloop_free(loop)
    }

    /// The API table that libpulse's objects use to be called by this loop.
    var api: UnsafeMutablePointer<pa_mainloop_api> { pa_threaded_mainloop_get_api(loop) }

    /// Whether the caller is the loop's own thread, which holds the lock in callbacks.
    var isCurrentThread: Bool { pa_threaded_mainloop_in_thread(loop) != 0 }

    /// Starts the thread.
    func start() throws(CaptureFailure) {
        guard pa_threaded_mainloop_start(loop) >= 0 else { throw CaptureFailure(PA_ERR_INTERNAL) }
    }

    /// Ends the thread and waits for it. Must not be called on that thread.
    func stop() {
        pa_threaded_mainloop_stop(loop)
    }

    /// Calls `body` under the lock. Must not be called on the loop's thread.
    func locked<Result>(_ body: () -> Result) -> Result {
        pa_threaded_mainloop_lock(loop)
        defer { pa_threaded_mainloop_unlock(loop) }
        return body()
    }
}
