import Foundation
import TestSupport
import Testing

/// An application that moves, pauses, ends and begins again at random, beside another one that does the same, while sinks
/// come and go and the default changes.
///
/// `ACCREC_FAULTS` sets the number of events, `ACCREC_SEED` the random seed.
@Suite(.serialized, .timeLimit(.minutes(15)))
struct RandomApplicationTests {
    private static let variables = ProcessInfo.processInfo.environment
    /// The first number of the counter of the other application.
    private static let foreign = 1 << 30

    private enum State { case silent, playing, paused }

    private enum Event: CaseIterable { case play, pause, resume, end, move, unload, setDefault }

    @Test(
        "A-01: whatever happens to an application, no frame of another is recorded, and each of its own is there or in a reported gap",
        arguments: ServerKind.allCases)
    func eachFrameIsAccountedFor(kind: ServerKind) async throws {
        let count = Self.variables["ACCREC_FAULTS"].flatMap { Int($0) } ?? 40
        var random = SplitMix64(seed: Self.variables["ACCREC_SEED"].flatMap { UInt64($0) } ?? 1)
        try await PrivateServer.with(kind) { server in
            var modules: [Int] = []
            for number in 0..<3 { modules.append(try await server.loadNullSink("sink\(number)")) }
            // No event happens to this one.
            try await server.loadNullSink("clock")
            let recording = TestRecording(on: server)
            let events = server.directory.appending(path: "events.jsonl")
            let arguments = recording.record(
                from: nil, with: ["--app", "player", "--interruption-timeout", "10m", "--events", events.path])
            let result = try await AccrecProcess.with(arguments, on: server) { accrec in
                try await accrec.waitForStandardError(containing: "waiting for 'player' to play")
                return try await Application.with("player", .counter(from: 1), on: server) { player in
                    try await Application.with("other", .counter(from: Self.foreign), on: server) { other in
                        let applications = [player, other]
                        var (states, streams) = ([State.silent, .silent], ["", ""])
                        try await SampleClock.with(of: "clock.monitor", latency: 5, on: server) { clock in
                            for _ in 0..<count {
                                let number = Int.random(in: 0...1, using: &random)
                                let event = Self.possible(states[number]).randomElement(using: &random)!
                                let (application, sink) = (applications[number], Int.random(in: 0...2, using: &random))
                                switch event {
                                case .play:
                                    streams[number] = try await application.play()
                                    states[number] = .playing
                                case .pause:
                                    try await application.pause()
                                    states[number] = .paused
                                case .resume:
                                    try await application.resume()
                                    states[number] = .playing
                                case .end:
                                    try await application.end()
                                    states[number] = .silent
                                case .move:
                                    // A sink may be gone just now.
                                    _ = try? await server.pactl("move-sink-input", streams[number], "sink\(sink)")
                                case .unload:
                                    try await server.unloadModule(modules[sink])
                                    modules[sink] = try await server.loadNullSink("sink\(sink)")
                                case .setDefault:
                                    try await server.pactl("set-default-sink", "sink\(sink)")
                                }
                                // Events come at random moments.
                                try await clock.wait(for: [0, 0.02, 0.1, 0.3].randomElement(using: &random)!)
                            }
                        }
                        if states[0] == .silent { try await player.play() }
                        if states[0] == .paused { try await player.resume() }
                        return try await recording.finish(accrec, after: 1)
                    }
                }
            }
            #expect(result.end == .exit(0), "\(result.standardError)")
            let numbers = Signal.numbers(inCounter: try PCMFile(wav: recording.url).int16, channels: 2).map { Int($0) }
            #expect(numbers.allSatisfy { $0 < Self.foreign })
            expectBreaksAtGaps(numbers, try missingFrames(in: events), kind, result.standardError)
        }
    }

    @Test("A-01: what an application lacks around a pause is missing in the gap", arguments: ServerKind.allCases)
    func pausesAreGaps(kind: ServerKind) async throws {
        var random = SplitMix64(seed: 1)
        try await PrivateServer.with(kind) { server in
            for sink in ["sink", "clock"] { try await server.loadNullSink(sink) }
            let recording = TestRecording(on: server)
            let events = server.directory.appending(path: "events.jsonl")
            let arguments = recording.record(from: nil, with: ["--app", "player", "--events", events.path])
            let result = try await AccrecProcess.with(arguments, on: server) { accrec in
                try await Application.with("player", .counter(from: 1), on: server) { player in
                    try await player.play()
                    try await SampleClock.with(of: "clock.monitor", latency: 5, on: server) { clock in
                        for _ in 0..<30 {
                            try await recording.wait(forAnother: 0.05, accrec)
                            try await player.pause()
                            try await clock.wait(for: .random(in: 0...0.25, using: &random))
                            try await player.resume()
                        }
                    }
                    return try await recording.finish(accrec, after: 1)
                }
            }
            #expect(result.end == .exit(0), "\(result.standardError)")
            let numbers = Signal.numbers(inCounter: try PCMFile(wav: recording.url).int16, channels: 2).map { Int($0) }
            expectBreaksAtGaps(numbers, try missingFrames(in: events), kind, result.standardError)
        }
    }

    private static func possible(_ state: State) -> [Event] {
        let always: [Event] = [.unload, .setDefault]
        switch state {
        case .silent: return always + [.play]
        case .playing: return always + [.pause, .move, .move, .end]
        case .paused: return always + [.resume, .resume, .move, .end]
        }
    }

    /// The frames that may be missing at each place of the recording where a gap is reported.
    ///
    /// An application that ends takes with it what it had written ahead, 100 ms, which nobody heard.
    private func missingFrames(in events: URL) throws -> [Int: Int] {
        var frames: [Int: Int] = [:]
        var hasEnded = false
        for line in try String(contentsOf: events, encoding: .utf8).split(separator: "\n") {
            let event = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            if event["reason"] as? String == "application_absent" { hasEnded = true }
            if ["started", "resumed"].contains(event["event"] as? String) { hasEnded = false }
            guard ["gap", "overrun"].contains(event["event"] as? String) else { continue }
            let frame = try #require(event["frame"] as? Int)
            frames[frame, default: 0] += try #require(event["frames_lost"] as? Int) + (hasEnded ? 4_800 : 0)
        }
        return frames
    }

    /// Expects the counter to be continuous, but for silence and for reported gaps that are as long as what is missing, or
    /// slightly shorter.
    private func expectBreaksAtGaps(
        _ numbers: [Int], _ missingFrames: [Int: Int], _ kind: ServerKind, _ messages: String
    ) {
        // PipeWire skips cycles on a busy machine.
        let skipped = kind == .pipeWire ? Tolerance.unreportedLoss : 0
        let sounding = numbers.indices.filter { numbers[$0] != 0 }
        for (place, next) in zip(sounding, sounding.dropFirst()) where numbers[next] != numbers[place] + 1 {
            let missing = numbers[next] - numbers[place] - 1
            let reported = (place + 1...next).reduce(0) { $0 + (missingFrames[$1] ?? 0) }
            #expect(
                reported + skipped > 0 && missing >= 0 && missing <= reported + skipped + Tolerance.gap,
                "frame \(place): \(missing) frames are missing, and \(reported) are reported: \(messages)")
        }
    }
}
