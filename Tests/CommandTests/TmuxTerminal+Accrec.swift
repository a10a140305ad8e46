import Foundation
import TestSupport

extension TmuxTerminal {
    /// Runs a body with a terminal whose shell finds the built `accrec`, and a PulseAudio server with a playing sink,
    /// `room`.
    ///
    /// - Parameter samples: 48 kHz stereo, played in a loop.
    static func withAccrec(
        playing samples: [Int16], environment: [String: String] = [:], columns: Int = 80, rows: Int = 24,
        _ body: (TmuxTerminal, PrivateServer) async throws -> Void
    ) async throws {
        try await PrivateServer.with(.pulseAudio) { server in
            try await server.loadNullSink("room")
            try await Player.with(Signal.data(samples), into: "room", on: server) { _ in
                let path = URL(filePath: try AccrecProcess.executable()).deletingLastPathComponent().path
                let all = environment.merging(["PATH": "\(path):\(server.environment["PATH", default: ""])"]) { $1 }
                try await TmuxTerminal.with(on: server, environment: all, columns: columns, rows: rows) { terminal in
                    try await body(terminal, server)
                }
            }
        }
    }

    /// The length of the take that a meter shows, in seconds, if less than a minute.
    static func takeTime(on screen: [String]) -> Double? {
        screen.compactMap { $0.firstMatch(of: /(?:REC|PAUSED)  0:(\d\d\.\d)/) }.last.flatMap { Double($0.1) }
    }

    /// Waits until the meter shows at least this length in seconds; on a busy machine it may skip some values.
    @discardableResult
    func waitForTake(of seconds: Double) async throws -> [String] {
        try await waitForScreen("a take of \(seconds) seconds") { (Self.takeTime(on: $0) ?? 0) >= seconds }
    }
}
