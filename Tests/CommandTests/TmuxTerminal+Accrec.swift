import Foundation
import TestSupport

extension TmuxTerminal {
    /// Runs a body with a terminal whose shell finds the `accrec` that was built, beside a PulseAudio with a sink, `room`,
    /// that is played into.
    ///
    /// - Parameter samples: of two channels at 48 kHz, played over and over.
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

    /// The length of the take that a meter shows, in seconds; less than a minute.
    static func takeTime(on screen: [String]) -> Double? {
        screen.compactMap { $0.firstMatch(of: /(?:REC|PAUSED)  0:(\d\d\.\d)/) }.last.flatMap { Double($0.1) }
    }

    /// Waits until the meter shows a take of that length, or of more: a busy machine may show none of just that length.
    @discardableResult
    func waitForTake(of seconds: Double) async throws -> [String] {
        try await waitForScreen("a take of \(seconds) seconds") { (Self.takeTime(on: $0) ?? 0) >= seconds }
    }
}
