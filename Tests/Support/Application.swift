import Foundation

/// An application that plays to a server's default sink as it is told (`Tests/Devices/application.c`).
public final class Application: Sendable {
    /// What it plays.
    public enum Signal: Sendable {
        /// A sine at a quarter of full scale, with this frequency in Hz.
        case tone(Int)
        /// A counter that increases by one with each frame, whatever happens.
        case counter(from: Int)

        fileprivate var argument: String {
            switch self {
            case .tone(let frequency): "\(frequency)"
            case .counter(let first): "counter=\(first)"
            }
        }
    }

    private let process: ChildProcess
    private let server: PrivateServer

    /// The process ID.
    public var processID: pid_t { process.processID }

    private init(_ process: ChildProcess, _ server: PrivateServer) {
        self.process = process
        self.server = server
    }

    /// Runs a body while the application runs. It plays nothing until it is told to.
    ///
    /// - Parameter role: The media role of its streams: `music`, `phone` and so on.
    public static func with<Value>(
        _ name: String, _ signal: Signal, role: String? = nil, on server: PrivateServer,
        _ body: (Application) async throws -> Value
    ) async throws -> Value {
        let program = server.directory.appending(path: "application")
        if !FileManager.default.isExecutableFile(atPath: program.path) {
            try await CHelper.compile(
                "Devices/application.c", to: program, ["-O1", "-lm"] + CHelper.options(for: "libpulse"))
        }
        return try await ChildProcess.with(
            Urgency.command + [program.path, name, signal.argument],
            environment: server.environment.merging(role.map { ["PULSE_PROP_media.role": $0] } ?? [:]) { $1 },
            input: .pipe
        ) { process in
            try await body(Application(process, server))
        }
    }

    /// Begins a stream.
    ///
    /// - Returns: Its index at the server.
    @discardableResult
    public func play(_ title: String = "signal") async throws -> String {
        let answer = try await tell("play \(title)")
        return String(answer.dropFirst("playing ".count))
    }

    /// Pauses the newest stream.
    public func pause() async throws { try await tell("pause") }

    /// Goes on with the newest stream after a pause.
    public func resume() async throws { try await tell("resume") }

    /// Ends the newest stream.
    public func end() async throws { try await tell("end") }

    /// Gives a command, and waits for the answer.
    @discardableResult
    private func tell(_ command: String) async throws -> String {
        let seen = lines.count
        process.write(Data("\(command)\n".utf8))
        try await eventually("an answer to \(command): \(process.standardError)") { lines.count > seen }
        let answer = lines[seen]
        guard answer != "failed" else { throw CommandFailure("the application could not \(command)") }
        return answer
    }

    private var lines: [String] {
        String(decoding: process.standardOutput, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
