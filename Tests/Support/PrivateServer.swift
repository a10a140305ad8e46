import Foundation
import Synchronization

/// A private sound server without hardware, as one test has it.
///
/// `scripts/private-server` manages it and runs for as long as its standard input is open, so the server stops even if
/// the test runner is killed. The tests of a process use the same server one after another, each with a directory of its
/// own, as long as they change nothing but modules.
public final class PrivateServer: Sendable {
    /// The kind of server.
    public let kind: ServerKind
    /// The complete environment for its clients, with nothing of the user's. Home and runtime directory are the test's.
    public let environment: [String: String]
    /// The ID of the process that serves the PulseAudio protocol: pulseaudio or pipewire-pulse.
    public var processID: pid_t { process.withLock { $0 } }
    /// Whether that process exists.
    var isRunning: Bool { Foundation.kill(processID, 0) == 0 }
    /// A directory for the test's files, removed at the end.
    public let directory: URL

    /// Whether a test has changed what unloading its modules does not undo: the default source, a volume, what the server
    /// remembers of a stream; or has stopped or killed it.
    var isChanged: Bool { changed.withLock { $0 } }

    private let changed = Mutex(false)
    private let process: Mutex<pid_t>
    private let script: ChildProcess
    private let logFile: URL

    /// The address of the server, as in `PULSE_SERVER`.
    public var address: String { environment["PULSE_SERVER", default: ""] }

    /// The server's log so far.
    public var log: String { (try? String(contentsOf: logFile, encoding: .utf8)) ?? "" }

    /// Runs a body with the server that the tests of this process share, as if it had just been started. Afterwards its
    /// modules are unloaded.
    ///
    /// - Throws: As ``withOwn(_:isSteady:_:)``.
    public static func with<Value>(
        _ kind: ServerKind, _ body: (PrivateServer) async throws -> Value
    ) async throws -> Value {
        try await SharedServers.with(kind, body)
    }

    /// Runs a body with a server of its own, and stops the server afterwards.
    ///
    /// - Parameter isSteady: Has PipeWire process 2,048 frames at a time, so that it loses nothing where the machine stalls
    ///   for as long as its usual 1,024 last.
    /// - Throws: `CommandFailure` with the server's log if it cannot be started; `DeadlineExceeded` if it is not ready
    ///   within 40 seconds or not gone within 10; errors of the body.
    public static func withOwn<Value>(
        _ kind: ServerKind,
        isSteady: Bool = true,
        _ body: (PrivateServer) async throws -> Value
    ) async throws -> Value {
        try await ServingScript.with("private-server", [kind.rawValue] + (isSteady ? ["--steady"] : [])) {
            try await body(PrivateServer(kind, startedBy: $0, $1))
        }
    }

    /// The server of a script, with a new directory.
    ///
    /// - Parameter told: The variables that the script has printed.
    init(_ kind: ServerKind, startedBy script: ChildProcess, _ told: [String: String]) throws {
        var values = told
        guard let processID = values.removeValue(forKey: "SERVER_PID").flatMap(pid_t.init),
            let log = values.removeValue(forKey: "LOG"),
            let runtimeDirectory = values["XDG_RUNTIME_DIR"]
        else {
            throw CommandFailure("private-server said \(told)")
        }
        self.kind = kind
        process = Mutex(processID)
        self.script = script
        logFile = URL(filePath: log)
        directory = URL(filePath: runtimeDirectory).appending(path: "test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        environment = ChildProcess.baseEnvironment
            .merging(values) { $1 }
            .merging(["HOME": directory.path, "XDG_RUNTIME_DIR": directory.path]) { $1 }
    }

    /// Runs pactl and returns its output.
    ///
    /// - Throws: `CommandFailure` with its message if it fails.
    @discardableResult
    public func pactl(_ arguments: String...) async throws -> String {
        try await pactl(arguments)
    }

    private func pactl(_ arguments: [String]) async throws -> String {
        let changes = ["set-", "move-", "suspend-"]
        if let verb = arguments.first, changes.contains(where: verb.hasPrefix) { changed.withLock { $0 = true } }
        return try await run(["pactl"] + arguments)
    }

    @discardableResult
    private func pwMetadata(_ arguments: String...) async throws -> String {
        try await run(["pw-metadata"] + arguments)
    }

    private func run(_ command: [String]) async throws -> String {
        // Five clients may wait at PulseAudio's socket; while it is busy, further ones are refused.
        let result = try await eventually("room at the socket of the server") {
            let result = try await ChildProcess.run(command, environment: environment, within: 20)
            let isRefused = result.end != .exit(0) && result.standardError.contains("Connection refused")
            return isRefused && isRunning ? nil : result
        }
        guard result.end == .exit(0) else { throw CommandFailure(command, result) }
        return result.text
    }

    /// Loads a module.
    ///
    /// - Returns: The module's index, for `unloadModule`.
    @discardableResult
    public func loadModule(_ name: String, _ arguments: [String] = []) async throws -> Int {
        let answer = try await pactl(["load-module", name] + arguments)
        guard let index = Int(answer.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw CommandFailure("load-module \(name): \(answer)")
        }
        return index
    }

    /// Unloads a module.
    public func unloadModule(_ index: Int) async throws {
        try await pactl("unload-module", "\(index)")
    }

    /// Sets the rate of PipeWire's graph, by default 48 kHz; other rates are resampled. Nothing may be playing or
    /// recording.
    public func forceRate(_ rate: Int) async throws {
        changed.withLock { $0 = true }
        try await pwMetadata("-n", "settings", "0", "clock.force-rate", "\(rate)")
    }

    /// A source's native format as the server prints it, such as `s16le 2ch 48000Hz`; `nil` if it is not listed.
    public func sampleSpec(of source: String) async throws -> String? {
        for line in try await pactl("list", "short", "sources").split(separator: "\n") {
            let fields = line.split(separator: "\t").map { String($0) }
            if fields.count > 3, fields[1] == source { return fields[3] }
        }
        return nil
    }

    /// Loads a null sink, whose monitor delivers what is played into it bit for bit in the same format.
    ///
    /// - Parameter isPrompt: On PulseAudio, makes it render at most 50 ms ahead, as hardware does, whatever its clients
    ///   ask for. Otherwise it renders two seconds of silence first, and half of a player's latency ahead.
    /// - Returns: The index of its module, once sink and monitor are listed.
    @discardableResult
    public func loadNullSink(
        _ name: String,
        _ format: PCMFormat = PCMFormat(),
        isPrompt: Bool = true,
        properties: [String: String] = [:]
    ) async throws -> Int {
        let arguments =
            ["sink_name=\(name)"] + format.moduleArguments + Self.argument("sink_properties", properties)
            + (isPrompt && kind == .pulseAudio ? ["norewinds=1"] : [])
        let index = try await loadModule("module-null-sink", arguments)
        try await waitForSource("\(name).monitor")
        return index
    }

    /// Creates a microphone: a source that is not a monitor and delivers what is played into a sink.
    ///
    /// On PipeWire a recording of it may lack 512 frames after the first 512, because its loopback is still adjusting
    /// its latency. The sink's monitor is exact from the first frame on.
    ///
    /// - Parameter format: The sink's format, which the source keeps on PulseAudio; on PipeWire it is f32 at 48 kHz.
    /// - Returns: The index of its module, once the source is listed.
    @discardableResult
    public func makeMicrophone(
        _ name: String,
        hearing sink: String,
        _ format: PCMFormat = PCMFormat(),
        properties: [String: String] = [:]
    ) async throws -> Int {
        let arguments =
            ["master=\(sink).monitor", "source_name=\(name)", "remix=no"]
            + format.moduleArguments + Self.argument("source_properties", properties)
        let index = try await loadModule("module-remap-source", arguments)
        try await waitForSource(name)
        return index
    }

    /// Creates a source on PulseAudio that runs but delivers nothing, because it reads from a FIFO that nobody feeds.
    public func loadStalledSource(_ name: String) async throws {
        let fifo = directory.appending(path: "\(name).fifo").path
        try await loadModule(
            "module-pipe-source", ["source_name=\(name)", "file=\(fifo)"] + PCMFormat().moduleArguments)
        try await waitForSource(name)
    }

    /// Makes a source the default, and waits until the server confirms it.
    public func setDefaultSource(_ name: String) async throws {
        try await eventually("default source \(name)") {
            // WirePlumber forgets what it was told about a source that it does not know yet.
            try await pactl("set-default-source", name)
            guard try await pactl("get-default-source").trimmingCharacters(in: .newlines) == name else { return false }
            guard kind == .pipeWire else { return true }
            // A new client may only guess its default; this is what WirePlumber has told all clients.
            let node = name.replacing(/\.monitor$/, with: "")
            return try await pwMetadata("0", "default.audio.source").contains("{\"name\":\"\(node)\"}")
        }
    }

    /// Waits until a source of that name is listed.
    public func waitForSource(_ name: String) async throws {
        try await eventually("source \(name)") { try await sampleSpec(of: name) != nil }
    }

    /// Sends a signal to the process that serves the PulseAudio protocol.
    public func signal(_ signal: Int32) {
        changed.withLock { $0 = true }
        Foundation.kill(processID, signal)
    }

    /// Kills the process that serves the PulseAudio protocol, and waits until it is gone.
    public func kill() async throws {
        signal(SIGKILL)
        try await eventually("end of \(kind.rawValue)") { Foundation.kill(processID, 0) != 0 }
    }

    /// Kills the process that serves the PulseAudio protocol and restarts it, without the modules that were loaded.
    public func restart() async throws {
        let seen = script.standardOutput.count
        _ = script.write(Data("restart\n".utf8))
        let answer = try await eventually("a new \(kind.rawValue): \(script.standardError)", within: 40) {
            let lines = String(decoding: script.standardOutput.dropFirst(seen), as: UTF8.self).split(separator: "\n")
            return lines.last == "ready" ? lines.first : nil
        }
        guard let processID = pid_t(answer.dropFirst("SERVER_PID=".count)) else {
            throw CommandFailure("private-server said \(answer)")
        }
        process.withLock { $0 = processID }
    }

    /// A property list as a module argument; empty if there are no properties.
    static func argument(_ name: String, _ properties: [String: String]) -> [String] {
        guard !properties.isEmpty else { return [] }
        return ["\(name)=\"" + properties.map { "\($0.key)='\($0.value)'" }.joined(separator: " ") + "\""]
    }
}
