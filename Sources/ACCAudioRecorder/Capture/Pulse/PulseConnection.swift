import CPulse
import Glibc
import Synchronization

/// A sound server that speaks PulseAudio's protocol: PulseAudio, or PipeWire's PulseAudio server.
struct PulseBackend: CaptureBackend {
    /// The server's address; nil for libpulse's default.
    let serverName: String?

    /// libpulse's version: `16.1`.
    static var libraryVersion: String { String(cString: pa_get_library_version()) }

    func connect() async throws(CaptureFailure) -> any CaptureConnection {
        try await PulseConnection.connect(to: serverName)
    }
}

/// A connection to a sound server over libpulse's asynchronous API: for queries, change events and streams.
///
/// Every call waits for the server at most `deadline` and throws `CaptureFailure`. Any thread may call.
///
/// `@unchecked Sendable`: `context` and `queries` are used only under the main loop's lock, which is held while
/// libpulse calls back, but for its `changeCount`, which is atomic, and `closed`, a promise.
final class PulseConnection: CaptureConnection, @unchecked Sendable {
    /// How long the server has to answer, in microseconds.
    private static let deadline: pa_usec_t = 5_000_000
    /// How long it has if the waiting thread must stay responsive to a stop, in milliseconds.
    private static let shortDeadline = 200

    /// The process ID, by which the server's stream lists identify this process.
    private static let process = String(getpid())

    /// The server's address; nil for libpulse's default.
    let serverName: String?
    let mainLoop: PulseMainLoop
    let context: OpaquePointer
    let queries: PulseQueries

    /// Connects to a server.
    ///
    /// - Parameter serverName: The server's address; nil for libpulse's default (`PULSE_SERVER`, then the user's
    ///   session).
    static func connect(to serverName: String?) async throws(CaptureFailure) -> PulseConnection {
        do throws(CaptureFailure) {
            return try await whileRefused(waiting: refusalDelays) { () throws(CaptureFailure) in
                let connection = try PulseConnection(serverName: serverName)
                _ = try await connection.connect().value.get()
                return connection
            }
        } catch {
            throw error.reaching(serverName)
        }
    }

    /// How long to wait before a server that refuses is asked again. libpulse reports a server whose queue of new clients is
    /// full like a missing server, and nothing announces that the queue has room again.
    private static let refusalDelays = [Duration.milliseconds(20), .milliseconds(80)]

    /// Connects, and after each delay once more, as long as the server refuses.
    static func whileRefused<Value: Sendable>(
        waiting delays: [Duration], _ connect: () async throws(CaptureFailure) -> Value
    ) async throws(CaptureFailure) -> Value {
        for delay in delays {
            do throws(CaptureFailure) {
                return try await connect()
            } catch {
                guard error == CaptureFailure(PA_ERR_CONNECTIONREFUSED) else { throw error }
                try? await Task.sleep(for: delay)
            }
        }
        return try await connect()
    }

    /// Connects to a server. Blocks; for threads of ours.
    static func waitForConnection(to serverName: String?) throws(CaptureFailure) -> PulseConnection {
        let connection = try PulseConnection(serverName: serverName)
        _ = try connection.connect().wait().get()
        return connection
    }

    private init(serverName: String?) throws(CaptureFailure) {
        mainLoop = try PulseMainLoop()
        guard let context = pa_context_new(mainLoop.api, nil) else { throw CaptureFailure(PA_ERR_INTERNAL) }
        self.serverName = serverName
        self.context = context
        queries = PulseQueries(api: mainLoop.api)
        try mainLoop.start()
    }

    /// Teardown order: the callbacks first, since they use what the connection owns; then the connection; then the
    /// thread that would have called them. If the last reference is released on that thread, which holds the lock then,
    /// another thread waits for its end.
    deinit {
        let loop = mainLoop
        if loop.isCurrentThread {
            disconnect()
            try? DetachedThread.start("control") { loop.stop() }
        } else {
            loop.locked { disconnect() }
            loop.stop()
        }
    }

    private func disconnect() {
        pa_context_set_state_callback(context, nil, nil)
        pa_context_set_subscribe_callback(context, nil, nil)
        queries.disconnected(CaptureFailure(PA_ERR_CONNECTIONTERMINATED))
        pa_context_disconnect(context)
        pa_context_unref(context)
    }
}

// MARK: - Queries

extension PulseConnection {
    /// Asks for the server's information and its sources at once, which saves one round trip.
    func sourceCatalog() async throws(CaptureFailure) -> SourceCatalog {
        let servers = askServer()
        let sources = ask({ AudioSource.read($0) }) { context, userdata in
            pa_context_get_source_info_list(context, Self.deliverSource, userdata)
        }
        guard let server = try await servers.value.get().first else { throw CaptureFailure(PA_ERR_PROTOCOL) }
        let answers = try await sources.value.get()
        let readable = answers.compactMap { try? $0.get().seen(by: server) }
        let filterInputs =
            readable.needFilterInputs
            ? try await query({ FilterInput(pulse: $0) }) { context, userdata in
                pa_context_get_source_output_info_list(context, Self.deliverSourceOutput, userdata)
            } : []
        return SourceCatalog(
            sources: readable.tracingFilters(filterInputs),
            unusable: answers.compactMap { if case .failure(let source) = $0 { source } else { nil } },
            defaultSinkName: server.defaultSinkName)
    }

    /// The name and version of the server.
    func software() async throws(CaptureFailure) -> String {
        guard let server = try await askServer().value.get().first else { throw CaptureFailure(PA_ERR_PROTOCOL) }
        return server.software
    }

    private func askServer() -> Promise<Result<[ServerInfo], CaptureFailure>> {
        ask(ServerInfo.init) { context, userdata in
            pa_context_get_server_info(
                context,
                { context, info, userdata in
                    PulseQuery.deliver(info, end: info == nil ? -1 : 0, context: context, to: userdata)
                    if info != nil { PulseQuery.deliver(nil, end: 1, context: context, to: userdata) }
                }, userdata)
        }
    }

    func source(index: UInt32, named name: String) async throws(CaptureFailure) -> AudioSource? {
        var source = try await sourceCatalog().sources.first { $0.id == index && $0.name == name }
        if let found = source { source?.sink = try await sink(monitoredBy: found) }
        return source
    }

    func sink(monitoredBy source: AudioSource) async throws(CaptureFailure) -> MonitoredSink? {
        guard let index = source.sinkIndex else { return nil }
        let isPipeWire = source.isOnPipeWire
        do throws(CaptureFailure) {
            return try await query({ MonitoredSink(pulse: $0, isPipeWire: isPipeWire) }) { context, userdata in
                pa_context_get_sink_info_by_index(
                    context, index,
                    { context, info, end, userdata in
                        PulseQuery.deliver(info, end: end, context: context, to: userdata)
                    }, userdata)
            }.first
        } catch {
            if error.reason == .noSuchSource { return nil }
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

    func applicationStreams() async throws(CaptureFailure) -> [ApplicationStream] {
        try await query({ ApplicationStream(pulse: $0) }) { context, userdata in
            pa_context_get_sink_input_info_list(context, Self.deliverSinkInput, userdata)
        }
    }

    /// This process's record streams with the given name.
    func sourceOutputs(ofStream name: String) async throws(CaptureFailure) -> [RecordStream] {
        try await query({ RecordStream(pulse: $0, ifStream: name, ofProcess: Self.process) }) {
            context, userdata in
            pa_context_get_source_output_info_list(context, Self.deliverSourceOutput, userdata)
        }
    }

    func recordStream(_ index: UInt32) async throws(CaptureFailure) -> RecordStream? {
        try await query({ RecordStream(pulse: $0) }) { context, userdata in
            pa_context_get_source_output_info(context, index, Self.deliverSourceOutput, userdata)
        }.first
    }

    func isCall(_ index: UInt32, isPlayback: Bool) async throws(CaptureFailure) -> Bool {
        let calls =
            if isPlayback {
                try await query({ CallStream(playback: $0, exceptOfProcess: Self.process) }) { context, userdata in
                    pa_context_get_sink_input_info(context, index, Self.deliverSinkInput, userdata)
                }
            } else {
                try await query({ CallStream(record: $0, exceptOfProcess: Self.process) }) { context, userdata in
                    pa_context_get_source_output_info(context, index, Self.deliverSourceOutput, userdata)
                }
            }
        return !calls.isEmpty
    }

    func calls() async throws(CaptureFailure) -> Set<CallStream> {
        // The start of a take waits for both, so they are asked for at once.
        let records = ask({ CallStream(record: $0, exceptOfProcess: Self.process) }) { context, userdata in
            pa_context_get_source_output_info_list(context, Self.deliverSourceOutput, userdata)
        }
        let playbacks = ask({ CallStream(playback: $0, exceptOfProcess: Self.process) }) { context, userdata in
            pa_context_get_sink_input_info_list(context, Self.deliverSinkInput, userdata)
        }
        return Set(try await records.value.get() + playbacks.value.get())
    }

    /// This process's record stream with the given name; nil if there is none. Blocks for at most `shortDeadline`; for
    /// threads of ours.
    func waitForSourceOutput(named name: String) throws(CaptureFailure) -> RecordStream? {
        try ask(
            { RecordStream(pulse: $0, ifStream: name, ofProcess: Self.process) },
            deadline: pa_usec_t(Self.shortDeadline) * 1_000
        ) { context, userdata in
            pa_context_get_source_output_info_list(context, Self.deliverSourceOutput, userdata)
        }.wait().get().first
    }

    /// Whether the server still has a source, by its index and name. Blocks for at most `shortDeadline`; for threads of
    /// ours.
    func waitForSource(_ source: AudioSource) throws(CaptureFailure) -> Bool {
        do throws(CaptureFailure) {
            let read = { (info: pa_source_info) in info.name.map { String(cString: $0) } }
            return try ask(read, deadline: pa_usec_t(Self.shortDeadline) * 1_000) { context, userdata in
                pa_context_get_source_info_by_index(context, source.id, Self.deliverSource, userdata)
            }.wait().get() == [source.name]
        } catch {
            if error.reason == .noSuchSource { return false }
            throw error
        }
    }

    /// Ends a record stream at the server, so that a blocked read of it returns at once with an error.
    func killSourceOutput(_ index: UInt32) async throws(CaptureFailure) {
        _ = try await query({ (_: Void) in () }) { context, userdata in
            pa_context_kill_source_output(
                context, index,
                { context, success, userdata in
                    PulseQuery.deliver(nil, end: success == 0 ? -1 : 1, context: context, to: userdata)
                }, userdata)
        }
    }
}

// MARK: - Inputs

extension PulseConnection {
    func open(
        _ source: AudioSource, _ settings: CaptureSettings, start: CaptureStart
    ) throws(ACCAudioRecorderError) -> any CaptureInput {
        switch settings.api {
        case .asynchronous: return try PulseInput.open(source, settings, start: start, connection: self)
        case .simple: return try SimpleInput.open(source, settings, start: start, connection: self)
        }
    }

    func open(
        _ playback: ApplicationStream, of application: AudioSource, _ group: PlaybackGroup, _ settings: CaptureSettings,
        start: CaptureStart
    ) throws(ACCAudioRecorderError) -> any CaptureInput {
        try PlaybackInput.open(playback, of: application, group, settings, start: start, connection: self)
    }
}

// MARK: - The end of the connection

extension PulseConnection {
    var closed: Promise<Void> { queries.closed }
}

// MARK: - Connecting and answers

extension PulseConnection {
    /// Begins to connect.
    private func connect() -> Promise<Result<[Void], CaptureFailure>> {
        ask({ (_: Void) in () }) { [self] context, _ in
            pa_context_set_state_callback(
                context, { PulseConnection.stateChanged(context: $0, userdata: $1) },
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
            queries.disconnected(CaptureFailure(code: pa_context_errno(context)))
        default: break
        }
    }

    /// Makes a request and waits for the answer. `operate` is called under the lock and returns libpulse's operation.
    func query<Info, Value: Sendable>(
        _ read: @escaping (Info) -> Value?,
        operate: (OpaquePointer, UnsafeMutableRawPointer) -> OpaquePointer?
    ) async throws(CaptureFailure) -> [Value] {
        try await ask(read, operate: operate).value.get()
    }

    /// Makes a request whose answer is awaited later. `operate` is called under the lock and returns libpulse's operation.
    func ask<Info, Value: Sendable>(
        _ read: @escaping (Info) -> Value?, deadline: pa_usec_t = deadline,
        operate: (OpaquePointer, UnsafeMutableRawPointer) -> OpaquePointer?
    ) -> Promise<Result<[Value], CaptureFailure>> {
        let answer = Promise<Result<[Value], CaptureFailure>>()
        mainLoop.locked {
            let query = PulseListQuery(read: read, answer: answer)
            queries.add(query)
            query.deadline = pa_context_rttime_new(
                context, pa_rtclock_now() + deadline,
                { PulseQuery.from($3).end(CaptureFailure(PA_ERR_TIMEOUT)) }, query.userdata)
            query.operation = operate(context, query.userdata)
            if query.operation == nil, !isConnecting {
                query.end(CaptureFailure(code: pa_context_errno(context)))
            }
        }
        return answer
    }

    private var isConnecting: Bool {
        let state = pa_context_get_state(context)
        return PA_CONTEXT_IS_GOOD(state) != 0 && state != PA_CONTEXT_READY
    }
}
