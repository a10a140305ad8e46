import CPulse

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
