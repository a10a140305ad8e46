import Foundation
import TestSupport

/// A fault in a random test, at a random time and of random length.
struct RandomFault: Sendable, CustomStringConvertible {
    enum Kind: String, CaseIterable {
        case unplug, suspend, changeDefault, move, otherClients, restart
    }

    let kind: Kind
    /// How long the recording runs before it, in seconds.
    let delay: Double
    /// How long it lasts in seconds, if it has a length.
    let length: Double

    var description: String { kind.rawValue }

    /// The faults for each server that is started. The last one of each list ends the server, except for the last
    /// server's.
    ///
    /// A seed always gives the same list: all kinds in turn, in a different order each time.
    static func lives(with count: Int, seed: UInt64) -> [[RandomFault]] {
        var generator = SplitMix64(seed: seed)
        var kinds: [Kind] = []
        while kinds.count < count { kinds += Kind.allCases.shuffled(using: &generator) }
        return kinds.prefix(count).reduce(into: [[]]) { lives, kind in
            let fault = RandomFault(
                kind: kind, delay: .random(in: 0.2...0.5, using: &generator),
                length: .random(in: 0...0.3, using: &generator))
            lives[lives.count - 1].append(fault)
            if kind == .restart { lives.append([]) }
        }
    }

    /// Causes the fault on a server with the rooms.
    ///
    /// - Parameter microphone: The index of its module, which a fault may change.
    func happen(to server: PrivateServer, microphone: inout Int, _ accrec: ChildProcess) async throws {
        switch kind {
        case .unplug:
            try await SampleClock.with(of: "hall.monitor", on: server) { clock in
                try await server.unloadModule(microphone)
                try await clock.wait(for: length)
                microphone = try await Rooms.plugIn(to: server)
            }
        case .suspend:
            try await SampleClock.with(of: "hall.monitor", on: server) { clock in
                // PipeWire accepts this and lets a source that is recorded go on: nothing may be missing then.
                try await server.pactl("suspend-source", "near", "1")
                try await clock.wait(for: length)
                try await server.pactl("suspend-source", "near", "0")
            }
        case .changeDefault:
            try await server.setDefaultSource("near")
            try await server.setDefaultSource("hall.monitor")
        case .move:
            // Shortly after the previous fault there may be no stream.
            try await eventually("a stream to move: \(accrec.standardError)") {
                guard let stream = try? await server.recordStream(ofProcess: accrec.processID) else { return false }
                // The server refuses to move a pinned stream.
                _ = try? await server.pactl("move-source-output", stream, "hall.monitor")
                return true
            }
        case .otherClients:
            // These clients ask for a lower latency, so the server delivers differently while they run. On PipeWire, a
            // suspended filter that such clients open may deliver nothing until it is recreated.
            let isPulseAudio = server.kind == .pulseAudio
            try await SampleClock.with(of: "hall.monitor", on: server) { clock in
                try await OtherClients.with(3, recording: "near", latency: isPulseAudio ? 5 : nil, on: server) {
                    if isPulseAudio { try await server.pactl("suspend-source", "near", "1") }
                    try await clock.wait(for: length)
                    if isPulseAudio { try await server.pactl("suspend-source", "near", "0") }
                    try await clock.wait(for: 0.1)
                }
            }
        case .restart:
            try await server.restart()
        }
    }
}
