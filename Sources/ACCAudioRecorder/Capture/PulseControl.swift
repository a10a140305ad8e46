import CPulse
import Glibc
import Synchronization

/// The control connection: what the simple API cannot tell or do, over libpulse's asynchronous API.
///
/// Every call waits for the server at most `deadline` and throws `PulseFailure`. Any thread may call.
///
/// `@unchecked Sendable`: `context` and `queries` are touched only under the main loop's lock, which is held while libpulse
/// calls back; `changeCount` is atomic. Callbacks never hold the connection itself, so its end never
/// comes on the main loop's thread, which it joins.
final class PulseControl: @unchecked Sendable {
    /// How long the server has for an answer, in microseconds.
    private static let deadline: pa_usec_t = 5_000_000
    /// How long it has where a thread waits that may be asked to end, in milliseconds.
    private static let shortDeadline = 200

    /// What a server knows this process by.
    private static let process = String(getpid())

    /// The server's name; nil for the one that libpulse's own rules find.
    let serverName: String?
    let mainLoop: PulseMainLoop
    let context: OpaquePointer
    let queries: PulseQueries

    /// Connects to a server, or takes the connection to it that was begun early.
    ///
    /// - Parameter serverName: nil for the one that libpulse's own rules find (`PULSE_SERVER`, then the user's session).
    static func connect(to serverName: String?) async throws(PulseFailure) -> PulseControl {
        do throws(PulseFailure) {
            if let control = try await EarlyConnection.take(to: serverName) { return control }
            let control = try PulseControl(serverName: serverName)
            _ = try await control.connect().value.get()
            return control
        } catch {
            throw error.reaching(serverName)
        }
    }

    /// Connects to a server as `connect(to:)` does. Blocks, for threads of ours.
    static func waitForConnection(to serverName: String?) throws(PulseFailure) -> PulseControl {
        let control = try PulseControl(serverName: serverName)
        _ = try control.connect().wait().get()
        return control
    }

    private init(serverName: String?) throws(PulseFailure) {
        mainLoop = try PulseMainLoop()
        guard let context = pa_context_new(mainLoop.api, "accrec") else { throw PulseFailure(PA_ERR_INTERNAL) }
        self.serverName = serverName
        self.context = context
        queries = PulseQueries(api: mainLoop.api)
        try mainLoop.start()
    }

    /// Callbacks go first, then the connection, then the thread that would have called them.
    deinit {
        mainLoop.locked {
            pa_context_set_state_callback(context, nil, nil)
            pa_context_set_subscribe_callback(context, nil, nil)
            pa_context_disconnect(context)
            pa_context_unref(context)
        }
        mainLoop.stop()
    }
}

// MARK: - Questions

extension PulseControl {
    /// What the server says of itself, and all sources, monitors included, in its order.
    ///
    /// Both are asked for at once, so that a take waits for one answer less.
    func serverAndSources() async throws(PulseFailure) -> (server: ServerInfo, sources: [AudioSource]) {
        let servers = ask(ServerInfo.init) { context, userdata in
            pa_context_get_server_info(
                context,
                { context, info, userdata in
                    PulseQuery.deliver(info, end: info == nil ? -1 : 0, context: context, to: userdata)
                    if info != nil { PulseQuery.deliver(nil, end: 1, context: context, to: userdata) }
                }, userdata)
        }
        let sources = ask({ AudioSource(pulse: $0) }) { context, userdata in
            pa_context_get_source_info_list(context, Self.deliverSource, userdata)
        }
        guard let server = try await servers.value.get().first else { throw PulseFailure(PA_ERR_PROTOCOL) }
        return (server, try await sources.value.get().map { $0.seen(by: server) })
    }

    /// The source of that number, if it has that name, with its sink.
    func source(index: UInt32, named name: String) async throws(PulseFailure) -> AudioSource? {
        var source = try await serverAndSources().sources.first { $0.id == index && $0.name == name }
        if let found = source { source?.sink = try await sink(monitoredBy: found) }
        return source
    }

    /// The sink that a source is the monitor of; nil where there is none.
    func sink(monitoredBy source: AudioSource) async throws(PulseFailure) -> MonitoredSink? {
        guard let index = source.sinkIndex else { return nil }
        let isPipeWire = source.isOnPipeWire
        do throws(PulseFailure) {
            return try await query({ MonitoredSink(pulse: $0, isPipeWire: isPipeWire) }) { context, userdata in
                pa_context_get_sink_info_by_index(
                    context, index,
                    { context, info, end, userdata in
                        PulseQuery.deliver(info, end: end, context: context, to: userdata)
                    }, userdata)
            }.first
        } catch {
            if error.code == PA_ERR_NOENTITY { return nil }
            throw error
        }
    }

    private static let deliverSource: pa_source_info_cb_t = { context, info, end, userdata in
        PulseQuery.deliver(info, end: end, context: context, to: userdata)
    }

    private static let deliverSourceOutput: pa_source_output_info_cb_t = { context, info, end, userdata in
        PulseQuery.deliver(info, end: end, context: context, to: userdata)
    }

    private static let deliverSinkInput: pa_sink_input_info_cb_t = { context, info, end, userdata in
        PulseQuery.deliver(info, end: end, context: context, to: userdata)
    }

    /// This process's record streams of the given name, as the server has them.
    func sourceOutputs(ofStream name: String) async throws(PulseFailure) -> [SourceOutput] {
        try await query({ SourceOutput(pulse: $0, ifStream: name, ofProcess: Self.process) }) {
            context, userdata in
            pa_context_get_source_output_info_list(context, Self.deliverSourceOutput, userdata)
        }
    }

    /// A record stream by the server's number for it; nil where it is none of this process and that name.
    func sourceOutput(_ index: UInt32, ofStream name: String) async throws(PulseFailure) -> SourceOutput? {
        try await query({ SourceOutput(pulse: $0, ifStream: name, ofProcess: Self.process) }) {
            context, userdata in
            pa_context_get_source_output_info(context, index, Self.deliverSourceOutput, userdata)
        }.first
    }

    /// Whether a record stream, by the server's number for it, is of another process's call.
    func isCall(record index: UInt32) async throws(PulseFailure) -> Bool {
        try await query({ CallStream(record: $0, exceptOfProcess: Self.process) }) { context, userdata in
            pa_context_get_source_output_info(context, index, Self.deliverSourceOutput, userdata)
        }.first != nil
    }

    /// Whether a playback stream, by the server's number for it, is of another process's call.
    func isCall(playback index: UInt32) async throws(PulseFailure) -> Bool {
        try await query({ CallStream(playback: $0, exceptOfProcess: Self.process) }) { context, userdata in
            pa_context_get_sink_input_info(context, index, Self.deliverSinkInput, userdata)
        }.first != nil
    }

    /// The streams of other processes' calls.
    func calls() async throws(PulseFailure) -> Set<CallStream> {
        let records = try await query({ CallStream(record: $0, exceptOfProcess: Self.process) }) { context, userdata in
            pa_context_get_source_output_info_list(context, Self.deliverSourceOutput, userdata)
        }
        let playbacks = try await query({ CallStream(playback: $0, exceptOfProcess: Self.process) }) {
            context, userdata in
            pa_context_get_sink_input_info_list(context, Self.deliverSinkInput, userdata)
        }
        return Set(records + playbacks)
    }

    /// This process's record stream of the given name, as the server has it; nil where there is none. Blocks, for
    /// threads of ours, but not for long.
    func waitForSourceOutput(named name: String) throws(PulseFailure) -> SourceOutput? {
        try ask(
            { SourceOutput(pulse: $0, ifStream: name, ofProcess: Self.process) },
            deadline: pa_usec_t(Self.shortDeadline) * 1_000
        ) { context, userdata in
            pa_context_get_source_output_info_list(context, Self.deliverSourceOutput, userdata)
        }.wait().get().first
    }

    /// The number of the source that a record stream is on; nil where it has ended. Blocks, for threads of ours, but not
    /// for long.
    ///
    /// - Parameter index: The server's number for the stream, which it gives to no other.
    func waitForPlace(ofStream index: UInt32, _ query: StreamPlaceQuery) throws(PulseFailure) -> UInt32? {
        mainLoop.locked {
            query.reset()
            queries.add(query)
            query.operation = pa_context_get_source_output_info(
                context, index, Self.deliverSourceOutput, query.userdata)
            if query.operation == nil { query.end(PulseFailure(code: pa_context_errno(context))) }
        }
        return try query.wait(milliseconds: Self.shortDeadline) {
            mainLoop.locked { query.end(PulseFailure(PA_ERR_TIMEOUT)) }
        }
    }

    /// The latency that a source is set to, in seconds, for the client that is in the greatest hurry; nil where there is no
    /// such source. Blocks, for threads of ours, but not for long.
    func waitForLatency(ofSource index: UInt32) throws(PulseFailure) -> Double? {
        let read = { (info: pa_source_info) -> Double? in Double(info.configured_latency) * 1e-6 }
        return try ask(read, deadline: pa_usec_t(Self.shortDeadline) * 1_000) { context, userdata in
            pa_context_get_source_info_by_index(context, index, Self.deliverSource, userdata)
        }.wait().get().first
    }

    /// Ends a record stream at the server, which makes a blocked read of it return at once with an error.
    func killSourceOutput(_ index: UInt32) async throws(PulseFailure) {
        _ = try await query({ (_: Void) in () }) { context, userdata in
            pa_context_kill_source_output(
                context, index,
                { context, success, userdata in
                    PulseQuery.deliver(nil, end: success == 0 ? -1 : 1, context: context, to: userdata)
                }, userdata)
        }
    }
}

// MARK: - The end of the connection

extension PulseControl {
    /// Waits until the connection has broken, or until the task is cancelled.
    func waitUntilClosed() async {
        await withTaskCancellationHandler {
            await queries.closed.value
        } onCancel: {
            queries.closed.fulfil(())
        }
    }
}

// MARK: - Waiting for answers

extension PulseControl {
    /// Whether the server still answers on it.
    var isOpen: Bool {
        mainLoop.locked { pa_context_get_state(context) == PA_CONTEXT_READY }
    }

    /// Begins to connect.
    private func connect() -> Promise<Result<[Void], PulseFailure>> {
        ask({ (_: Void) in () }) { [self] context, _ in
            pa_context_set_state_callback(
                context, { PulseControl.stateChanged(context: $0, userdata: $1) },
                Unmanaged.passUnretained(queries).toOpaque())
            pa_context_connect(context, serverName, PA_CONTEXT_NOAUTOSPAWN, nil)
            return nil
        }
    }

    private static func stateChanged(context: OpaquePointer?, userdata: UnsafeMutableRawPointer?) {
        let queries = Unmanaged<PulseQueries>.fromOpaque(userdata!).takeUnretainedValue()
        switch pa_context_get_state(context) {
        case PA_CONTEXT_READY: queries.connected()
        case PA_CONTEXT_FAILED, PA_CONTEXT_TERMINATED:
            queries.disconnected(PulseFailure(code: pa_context_errno(context)))
        default: break
        }
    }

    /// Asks and waits. `operate` is called under the lock and returns libpulse's operation.
    func query<Info, Value: Sendable>(
        _ read: @escaping (Info) -> Value?,
        operate: (OpaquePointer, UnsafeMutableRawPointer) -> OpaquePointer?
    ) async throws(PulseFailure) -> [Value] {
        try await ask(read, operate: operate).value.get()
    }

    private func ask<Info, Value: Sendable>(
        _ read: @escaping (Info) -> Value?, deadline: pa_usec_t = deadline,
        operate: (OpaquePointer, UnsafeMutableRawPointer) -> OpaquePointer?
    ) -> Promise<Result<[Value], PulseFailure>> {
        let answer = Promise<Result<[Value], PulseFailure>>()
        mainLoop.locked {
            let query = PulseListQuery(read: read, answer: answer)
            queries.add(query)
            query.deadline = pa_context_rttime_new(
                context, pa_rtclock_now() + deadline,
                { PulseQuery.from($3).end(PulseFailure(PA_ERR_TIMEOUT)) }, query.userdata)
            query.operation = operate(context, query.userdata)
            if query.operation == nil, !isConnecting {
                query.end(PulseFailure(code: pa_context_errno(context)))
            }
        }
        return answer
    }

    private var isConnecting: Bool {
        let state = pa_context_get_state(context)
        return PA_CONTEXT_IS_GOOD(state) != 0 && state != PA_CONTEXT_READY
    }
}
