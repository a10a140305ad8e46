import Foundation
import TestSupport
import Testing

/// Recordings in a terminal.
extension TmuxTerminal {
    /// Records the sink `room` as it is.
    static let recording = "accrec record -o take.wav -d room.monitor -c native -r native"

    /// Runs a body with a terminal whose shell finds `accrec`, and a PulseAudio server with a sink `room`.
    ///
    /// - Parameter signal: What plays in the sink; nil for nothing.
    static func withAccrec(
        playing signal: Player.Signal? = .tone(peak: -12), environment: [String: String] = [:], columns: Int = 80,
        rows: Int = 24, _ body: (TmuxTerminal, PrivateServer) async throws -> Void
    ) async throws {
        try await PrivateServer.withRoom(.pulseAudio, playing: signal) { server in
            let all = try AccrecProcess.inPath(of: server.environment).merging(environment) { $1 }
            try await TmuxTerminal.with(on: server, environment: all, columns: columns, rows: rows) { terminal in
                try await body(terminal, server)
            }
        }
    }

    static func isRecording(_ screen: [String]) -> Bool {
        screen.contains { $0.contains("REC  0:") && !$0.contains("REC  0:00.0") }
    }

    /// The length of the recording that a meter shows, in seconds, if less than a minute.
    static func recordingTime(on screen: [String]) -> Double? {
        screen.compactMap { $0.firstMatch(of: /(?:REC|PAUSED)  0:(\d\d\.\d)/) }.last.flatMap { Double($0.1) }
    }

    /// Waits until the meter shows at least this length in seconds; on a busy machine it may skip some values.
    @discardableResult
    func waitForRecording(of seconds: Double) async throws -> [String] {
        try await waitForScreen("a recording of \(seconds) seconds") { (Self.recordingTime(on: $0) ?? 0) >= seconds }
    }

    /// Starts a recording, saving the terminal's settings before and after, and waits until it runs.
    func start(_ command: String = recording) async throws {
        // Without a trap, a Ctrl-C in the moment after the command has ended takes the rest of the line away, or ends stty.
        let end = "echo status $? >status; trap '' INT; stty -g >after; trap : INT"
        try await enter("trap : INT; stty -g >before; \(command); \(end)")
        try await waitForScreen("recording", Self.isRecording)
    }

    /// Waits for the end of the command of `start`.
    ///
    /// - Returns: Its status.
    func end(on server: PrivateServer) async throws -> String {
        let after = try await eventually("the end of the recording", within: 20) {
            (try? server.text("after")).flatMap { $0.isEmpty ? nil : $0 }
        }
        let before = try server.text("before")
        #expect(before.contains(":") && before == after)
        return try server.text("status")
    }
}
