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
}
