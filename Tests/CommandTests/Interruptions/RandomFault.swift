import Foundation
import TestSupport

/// Something that goes wrong in a random test, at a random moment and for a random time.
struct RandomFault: Sendable, CustomStringConvertible {
    enum Kind: String, CaseIterable {
        case unplug, suspend, changeDefault, move, restart
    }

    let kind: Kind
    /// How long the take goes on before it, in seconds.
    let delay: Double
    /// How long it lasts, in seconds, where it has a length.
    let length: Double

    var description: String { kind.rawValue }

    /// The faults in the life of each server that is started, the last of which ends it, but for the last server's.
    ///
    /// They are always the same for a seed: all kinds by turns, each turn in another order.
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

    /// Happens to a server that has the rooms.
    ///
    /// - Parameter microphone: the index of its module, which a fault may change.
    func happen(to server: PrivateServer, microphone: inout Int, _ accrec: ChildProcess) async throws {
        switch kind {
        case .unplug:
            try await server.unloadModule(microphone)
            try await Task.sleep(for: .seconds(length))
            microphone = try await Rooms.plugIn(to: server)
        case .suspend:
            try await server.pactl("suspend-source", "near", "1")
            try await Task.sleep(for: .seconds(length))
            try await server.pactl("suspend-source", "near", "0")
        case .changeDefault:
            try await server.setDefaultSource("near")
            try await server.setDefaultSource("hall.monitor")
        case .move:
            // There is no stream for a moment after the last fault.
            try await eventually("a stream to move: \(accrec.standardError)") {
                guard let stream = try? await server.recordStream(ofProcess: accrec.processID) else { return false }
                return (try? await server.pactl("move-source-output", stream, "hall.monitor")) != nil
            }
        case .restart:
            try await server.restart()
        }
    }
}
