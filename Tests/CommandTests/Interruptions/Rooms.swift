import Foundation
import TestSupport

/// The sources for tests with interruptions.
///
/// The sink `room` plays a counter, which continues whatever happens to the microphone `near` that receives it. The
/// sink `hall` plays frames of -1, which the counter never reaches.
enum Rooms {
    /// The value of the frames that play in the hall.
    static let foreign: UInt32 = .max
    /// The number of frames before the counter repeats; it begins with 1.
    static let counterLength = 60 * 48_000

    /// Runs a body with a server that has the rooms, passing the index of the microphone's module.
    ///
    /// - Parameter isTimed: Whether the server renders so shortly before it plays that the length of a gap, which the
    ///   recorder measures by the clock, can be compared with what is missing. Only for tests that nothing disturbs,
    ///   because the players are more easily late.
    static func with(
        _ kind: ServerKind, isTimed: Bool = false, _ body: (PrivateServer, _ microphone: Int) async throws -> Void
    ) async throws {
        try await PrivateServer.with(kind) { server in
            try await with(server, isTimed: isTimed) { try await body(server, $0) }
        }
    }

    /// Runs a body while a server has the rooms and plays their signals.
    ///
    /// - Parameters:
    ///   - first: The first number of the counter.
    ///   - isTimed: See the other method.
    ///   - body: Receives the index of the microphone's module.
    static func with(
        _ server: PrivateServer, from first: UInt32 = 1, isTimed: Bool = false,
        _ body: (_ microphone: Int) async throws -> Void
    ) async throws {
        for sink in ["hall", "room"] {
            // PipeWire keeps the sinks of a killed server.
            if try await server.sampleSpec(of: "\(sink).monitor") == nil {
                try await server.loadNullSink(sink, isPrompt: !isTimed)
            }
        }
        let counter = Signal.data(Signal.counter(from: first, frames: counterLength, channels: 2))
        let other = Signal.data([Int16](repeating: -1, count: 9_600))
        let latency = isTimed ? 100 : Player.latency
        try await Player.with(counter, into: "room", on: server, latency: latency) { _ in
            try await Player.with(other, into: "hall", on: server, latency: latency) { _ in
                try await body(try await plugIn(to: server))
            }
        }
    }

    /// Creates the microphone and returns the index of its module.
    static func plugIn(to server: PrivateServer) async throws -> Int {
        try await server.makeMicrophone("near", hearing: "room", properties: ["device.description": "Near"])
    }
}
