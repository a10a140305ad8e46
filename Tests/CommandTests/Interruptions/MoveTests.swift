import Foundation
import TestSupport
import Testing

/// A recording stays on its source even if the server or an administrator moves streams.
@Suite(.serialized, .timeLimit(.minutes(4)))
struct MoveTests {
    private static let simple = ["--capture-api", "simple"]

    /// How often to change the default and move the stream, or unplug the source; can be set with `ACCREC_MOVES`.
    private static let moveCount = ProcessInfo.processInfo.environment["ACCREC_MOVES"].flatMap { Int($0) } ?? 12

    @Test(
        "C-01, D-04: changes of the default and an administrator's moves cost no frame",
        arguments: ServerKind.allCases)
    func aPinnedStreamStays(kind: ServerKind) async throws {
        try await Rooms.with(kind) { server, _ in
            try await server.setDefaultSource("near")
            let recording = TestRecording(on: server)
            let result = try await AccrecProcess.with(recording.record(), on: server) { accrec in
                try await recording.wait(for: 1, accrec)
                let stream = try await server.recordStream(ofProcess: accrec.processID)
                var generator = SplitMix64(seed: 1)
                for number in 1...Self.moveCount {
                    try await recording.wait(forAnother: .random(in: 0...0.05, using: &generator), accrec)
                    try await server.pactl("set-default-source", number.isMultiple(of: 2) ? "near" : "hall.monitor")
                    await #expect(throws: CommandFailure.self) {
                        try await server.pactl("move-source-output", stream, "hall.monitor")
                    }
                }
                return try await recording.finish(accrec, after: 0.5)
            }
            #expect(result.end == .exit(0), "\(result.standardError)")
            #expect(result.standardError.contains("lost      0 frames"), "\(result.standardError)")
            #expect(!result.standardError.contains("interrupted"), "\(result.standardError)")
            let breaks = try recording.breaksInSound()
            // Of PipeWire's remap source.
            #expect(breaks.allSatisfy { $0 < Tolerance.startOfRecording }, "\(breaks)")
        }
    }

    @Test("C-01: when the source is lost while another plays, everything delivered is kept and nothing else recorded")
    func aSourceThatGoes() async throws {
        for kind in ServerKind.allCases {
            try await Rooms.with(kind) { server, microphone in
                try await server.setDefaultSource("hall.monitor")
                let recording = TestRecording(on: server)
                let result = try await AccrecProcess.with(recording.record(), on: server) { accrec in
                    var microphone = microphone
                    var generator = SplitMix64(seed: 1)
                    for _ in 1...Self.moveCount {
                        try await recording.wait(forAnother: 0.4 + .random(in: 0...0.1, using: &generator), accrec)
                        try await server.unloadModule(microphone)
                        microphone = try await Rooms.plugIn(to: server)
                    }
                    return try await recording.finish(accrec, after: 0.5)
                }
                #expect(result.end == .exit(0), "\(result.standardError)")
                #expect(!result.standardError.contains("moved"), "\(result.standardError)")
                _ = try recording.counter()
            }
        }
    }

    @Test(
        "D-04: with the simple API, a change of the default does not affect the recording",
        arguments: ServerKind.allCases, [true, false])
    func aChangedDefaultIsIgnored(kind: ServerKind, isNamed: Bool) async throws {
        try await Rooms.with(kind) { server, _ in
            try await server.setDefaultSource("near")
            let recording = TestRecording(on: server)
            let arguments = recording.record(from: isNamed ? "near" : nil, with: Self.simple)
            let result = try await AccrecProcess.with(arguments, on: server, isUrgent: true) { accrec in
                try await recording.wait(for: 1, accrec)
                try await server.setDefaultSource("hall.monitor")
                try await recording.wait(for: 3, accrec)
                accrec.signal(SIGINT)
                return try await accrec.wait()
            }
            try recording.expectBreaksAtGaps(result)
        }
    }

    @Test(
        "D-04: the recording follows the default if requested", arguments: ServerKind.allCases)
    func aChangedDefaultIsFollowed(kind: ServerKind) async throws {
        try await Rooms.with(kind) { server, _ in
            try await server.makeMicrophone("far", hearing: "hall")
            try await server.setDefaultSource("near")
            let recording = TestRecording(on: server)
            let arguments = recording.record(from: nil, with: ["--follow-default"])
            let result = try await AccrecProcess.with(arguments, on: server, isUrgent: true) { accrec in
                try await recording.wait(for: 1, accrec)
                try await server.setDefaultSource("far")
                try await accrec.waitForStandardError(containing: ": default source changed (")
                #expect(accrec.standardError.contains("interrupted: default source changed"))
                return try await recording.finish(accrec, after: 1)
            }
            #expect(result.end == .exit(0), "\(result.standardError)")
            #expect(result.standardError.contains(/missing at [^(]*: default source changed \([0-9]+ frames/))
            let numbers = Signal.numbers(inCounter: try PCMFile(wav: recording.url).int16, channels: 2)
            let change = try #require(numbers.firstIndex(of: Rooms.foreign))
            #expect(change > 48_000 - Tolerance.fragmentInTransit)
            #expect(numbers[change...].allSatisfy { $0 == Rooms.foreign || $0 == 0 })
        }
    }

    @Test(
        "I-09, D-04: on PulseAudio with the simple API, a recording that an administrator moved goes back")
    func aMovedStreamGoesBack() async throws {
        try await Rooms.with(.pulseAudio, isTimed: true) { server, _ in
            let recording = TestRecording(on: server)
            let arguments = recording.record(with: Self.simple)
            let result = try await AccrecProcess.with(arguments, on: server, isUrgent: true) { accrec in
                try await recording.wait(for: 1, accrec)
                for round in 1...5 {
                    try await server.moveRecordStream(ofProcess: accrec.processID, to: "hall.monitor") {
                        accrec.standardError.components(separatedBy: "interrupted: stream moved to another source")
                            .count
                            > round
                    }
                    try await recording.wait(forAnother: 0.7, accrec)
                }
                accrec.signal(SIGINT)
                return try await accrec.wait()
            }
            try recording.expectBreaksAtGaps(result)
            try recording.expectTrueGaps(result)
        }
    }

    @Test(
        "I-09, I-13: a recording whose stream an administrator killed is kept and reports the cause",
        arguments: ServerKind.allCases)
    func aKilledStreamEndsTheRecording(kind: ServerKind) async throws {
        try await Rooms.with(kind) { server, _ in
            let (recording, witness) = (TestRecording(on: server), TestRecording(on: server, "witness.wav"))
            try await AccrecProcess.with(witness.record(from: "room.monitor"), on: server) { other in
                let (heard, result) = try await AccrecProcess.with(recording.record(from: "room.monitor"), on: server) {
                    accrec in
                    try await recording.wait(for: 1, accrec)
                    try await witness.wait(for: 1, other)
                    let heard = witness.seconds
                    try await server.killRecordStream(ofProcess: accrec.processID)
                    return (heard, try await accrec.wait(within: 10))
                }
                #expect(result.end == .exit(5))
                #expect(
                    result.standardError.contains("interrupted: stream ended at the server"))
                #expect(result.standardError.contains("ended early: Entity killed. Somebody ended the stream"))
                let numbers = try recording.counter().numbers
                #expect(try recording.breaksInSound().isEmpty)
                // What the other recording had received by then.
                other.signal(SIGINT)
                _ = try await other.wait()
                let others = try witness.counter().numbers
                #expect(
                    try #require(numbers.last { $0 != 0 }) > others[Int(heard * 48_000) - Tolerance.fragmentInTransit])
            }
        }
    }
}
