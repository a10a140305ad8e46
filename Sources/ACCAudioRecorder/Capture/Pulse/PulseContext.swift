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

/// A further connection to a server, which uses the main loop of another one.
///
/// Everything is used only under the main loop's lock, which its thread holds when it calls back. The callback does not
/// retain the context, which is closed at the latest with its last reference.
final class PulseContext {
    let context: OpaquePointer
    private let mainLoop: PulseMainLoop
    private let onSettled: (PulseContext) -> Void
    private var isClosed = false

    /// Begins to connect.
    ///
    /// - Parameters:
    ///   - serverName: The server's address; nil for libpulse's default.
    ///   - onSettled: Called once on the main loop's thread, when the connection is ready or has failed.
    init(
        to serverName: String?, on mainLoop: PulseMainLoop, onSettled: @escaping (PulseContext) -> Void
    ) throws(CaptureFailure) {
        guard let context = pa_context_new(mainLoop.api, nil) else { throw CaptureFailure(PA_ERR_INTERNAL) }
        self.context = context
        self.mainLoop = mainLoop
        self.onSettled = onSettled
        pa_context_set_state_callback(
            context, { _, userdata in PulseContext.from(userdata).stateChanged() },
            Unmanaged.passUnretained(self).toOpaque())
        guard pa_context_connect(context, serverName, PA_CONTEXT_NOAUTOSPAWN, nil) >= 0 else {
            throw CaptureFailure(code: pa_context_errno(context))
        }
    }

    deinit {
        if mainLoop.isCurrentThread { close() } else { mainLoop.locked { close() } }
    }

    /// Whether streams can be opened on it.
    var isReady: Bool { !isClosed && pa_context_get_state(context) == PA_CONTEXT_READY }

    /// Ends the connection and its streams. No callback follows.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        pa_context_set_state_callback(context, nil, nil)
        pa_context_disconnect(context)
        pa_context_unref(context)
    }

    private static func from(_ userdata: UnsafeMutableRawPointer?) -> PulseContext {
        Unmanaged<PulseContext>.fromOpaque(userdata!).takeUnretainedValue()
    }

    private func stateChanged() {
        switch pa_context_get_state(context) {
        case PA_CONTEXT_READY, PA_CONTEXT_FAILED, PA_CONTEXT_TERMINATED:
            pa_context_set_state_callback(context, nil, nil)
            onSettled(self)
        default: break
        }
    }
}

extension CaptureFailure {
    /// Creates a failure from libpulse's error code.
    init(code: Int32) {
        // libpulse's error for a request made after the connection has ended.
        let isTooLate = code == Int32(PA_ERR_BADSTATE.rawValue)
        let code = isTooLate ? Int32(PA_ERR_CONNECTIONTERMINATED.rawValue) : code
        let reason: ACCAudioRecorderError.Failure.Reason
        switch pa_error_code_t(UInt32(bitPattern: code)) {
        case PA_ERR_CONNECTIONREFUSED, PA_ERR_CONNECTIONTERMINATED, PA_ERR_INVALIDSERVER: reason = .noServer
        case PA_ERR_NOENTITY: reason = .noSuchSource
        case PA_ERR_ACCESS, PA_ERR_AUTHKEY, PA_ERR_FORKED: reason = .permissionDenied
        case PA_ERR_TIMEOUT: reason = .timedOut
        case PA_ERR_KILLED: reason = .streamKilled
        default: reason = .server
        }
        self.init(reason, String(cString: pa_strerror(code)))
    }

    init(_ code: pa_error_code_t) {
        self.init(code: Int32(bitPattern: code.rawValue))
    }

    /// Why a source cannot be opened whose stream has ended before.
    init(opening end: CaptureEnd) {
        switch end {
        case .failed(let failure): self = failure
        case .serverLost: self.init(PA_ERR_CONNECTIONTERMINATED)
        case .sourceRemoved: self.init(PA_ERR_NOENTITY)
        case .moved: self.init(.server, "the server has put the stream on another source")
        case .stopped, .killed: self.init(PA_ERR_KILLED)
        }
    }
}
