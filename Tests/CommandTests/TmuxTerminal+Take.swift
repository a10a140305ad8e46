import Foundation
import TestSupport
import Testing

extension TmuxTerminal {
    /// Records the sink in which a tone plays.
    static let take = "accrec record -o take.wav -d room.monitor -c native -r native"

    /// Runs a body with a terminal, and a sink in which a tone plays.
    static func withTone(
        environment: [String: String] = [:], columns: Int = 80, rows: Int = 24,
        _ body: (TmuxTerminal, PrivateServer) async throws -> Void
    ) async throws {
        let tone = Signal.int16(Signal.sine(frequency: 1_000, peak: -12, rate: 48_000, channels: 2, frames: 48_000))
        try await withAccrec(playing: tone, environment: environment, columns: columns, rows: rows, body)
    }

    static func isRecording(_ screen: [String]) -> Bool {
        screen.contains { $0.contains("REC  0:") && !$0.contains("REC  0:00.0") }
    }

    /// Starts a take, saving the terminal's settings before and after, and waits until it runs.
    func start(_ command: String = take) async throws {
        try await enter("stty -g >before; \(command); echo status $? >status; stty -g >after")
        try await waitForScreen("recording", Self.isRecording)
    }

    /// Waits for the end of the command of `start`.
    ///
    /// - Returns: Its status.
    func end(on server: PrivateServer) async throws -> String {
        func text(_ name: String) -> String? {
            try? String(contentsOf: server.directory.appending(path: name), encoding: .utf8)
        }
        let after = try await eventually("the end of the take", within: 20) {
            text("after").flatMap { $0.isEmpty ? nil : $0 }
        }
        #expect(try #require(text("before")).contains(":"))
        #expect(text("before") == after)
        return try #require(text("status"))
    }
}
