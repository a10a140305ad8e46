import Foundation
import TestSupport
import Testing

/// Which source is taken, and what is said of the sources.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct SourceTests {
    @Test("D-05, F-08: the default, PULSE_SOURCE, and a monitor by its name", arguments: ServerKind.allCases)
    func takesTheRightSource(kind: ServerKind) async throws {
        try await PrivateServer.with(kind) { server in
            try await server.loadNullSink("room")
            try await server.makeMicrophone("near", hearing: "room")
            try await server.makeMicrophone("far", hearing: "room")
            try await server.setDefaultSource("near")
            let cases: [(arguments: [String], environment: [String: String], source: String)] = [
                ([], [:], "near"),
                ([], ["PULSE_SOURCE": "far"], "far"),
                (["-d", "near"], ["PULSE_SOURCE": "far"], "near"),
                (["-d", "room.monitor"], [:], "room.monitor"),
                (["-d", "@DEFAULT_SOURCE@"], [:], "near"),
            ]
            for (index, take) in cases.enumerated() {
                let result = try await AccrecProcess.run(
                    ["record", "-o", "\(index).wav", "--max", "0.1"] + take.arguments, on: server,
                    environment: take.environment, in: server.directory)
                #expect(result.end == .exit(0), "\(result.standardError)")
                #expect(result.standardError.contains("source    \(take.source): 48000 Hz, 2 channels, "))
            }
        }
    }

    @Test("D-07: accrec devices", arguments: ServerKind.allCases)
    func listsTheSources(kind: ServerKind) async throws {
        try await PrivateServer.with(kind) { server in
            try await server.loadNullSink("room", properties: ["device.description": "A room"])
            try await server.makeMicrophone(
                "near", hearing: "room", properties: ["device.description": "A near microphone"])
            try await server.setDefaultSource("near")
            let result = try await AccrecProcess.run(["devices"], on: server)
            #expect(result.end == .exit(0))
            // PipeWire's sources are all of 32-bit floating point.
            let format = kind == .pulseAudio ? "s16le" : "float32le"
            #expect(result.text.contains("* near  [filter]\n    A near microphone: 48000 Hz, 2 channels, \(format)\n"))
            #expect(result.text.contains("  room.monitor  [monitor]\n"))
            #expect(result.standardError.isEmpty)
        }
    }
}
