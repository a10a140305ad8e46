import Foundation
import TestSupport
import Testing

/// A recording whose device is lost: nothing captured is lost, and nothing from another source gets in.
@Suite(.serialized, .timeLimit(.minutes(4)))
struct DeviceLossTests {
    @Test(
        "D-01, D-05, I-07, I-13: the device is lost while the default plays something else, or while it is the default",
        arguments: ServerKind.allCases, [false, true])
    func aLostDeviceEndsByThePolicy(kind: ServerKind, isDefault: Bool) async throws {
        try await Rooms.with(kind) { server, microphone in
            try await server.pactl("set-default-sink", "hall")
            try await server.setDefaultSource(isDefault ? "near" : "hall.monitor")
            try await withThrowingTaskGroup(of: Void.self) { group in
                let policies = ["pause", "stop", "discard", "fallback"]
                let recordings = policies.map { TestRecording(on: server, "\($0).wav") }
                for (policy, recording) in zip(policies, recordings) {
                    group.addTask {
                        let more = ["--on-disconnect", policy, "--interruption-timeout", "0.5"]
                        let result = try await AccrecProcess.run(recording.record(with: more), on: server)
                        #expect(result.end == .exit(3), "\(policy): \(result.standardError)")
                        #expect(result.standardError.contains("'Near' was unplugged\n"))
                        let cause = policy == "stop" || policy == "discard" ? "" : " and did not return in time"
                        #expect(result.standardError.contains("it was unplugged\(cause). "))
                        let fate = policy == "discard" ? "removed" : "kept"
                        #expect(result.standardError.contains("What was recorded is \(fate)"))
                        #expect(FileManager.default.fileExists(atPath: recording.url.path) == (policy != "discard"))
                        guard policy != "discard" else { return }
                        let numbers = try recording.counter().numbers
                        #expect(numbers.count > 48_000 - Tolerance.fragmentInTransit)
                    }
                }
                try await eventually("a second of each recording", within: 20) {
                    recordings.allSatisfy { $0.seconds > 1 }
                }
                try await server.unloadModule(microphone)
                // The server would move all streams there.
                try await eventually("the monitor as the default") {
                    try await server.pactl("get-default-source") == "hall.monitor\n"
                }
                try await group.waitForAll()
            }
        }
    }

    @Test(
        "D-01: after replugging, the recording continues in the same file and in sync with time",
        arguments: ServerKind.allCases)
    func aReturnedDeviceGoesOn(kind: ServerKind) async throws {
        try await Rooms.with(kind, isTimed: true) { server, microphone in
            try await server.setDefaultSource("hall.monitor")
            try await CounterClock.with(server) { clock in
                let recording = TestRecording(on: server)
                let result = try await AccrecProcess.with(recording.record(with: ["--fill-gaps"]), on: server) {
                    accrec in
                    try await recording.wait(for: 1.5, accrec)
                    try await server.unloadModule(microphone)
                    try await accrec.waitForStandardError(
                        containing: "' was unplugged")
                    try await clock.samples.wait(for: 2)
                    _ = try await Rooms.plugIn(to: server)
                    try await accrec.waitForStandardError(
                        containing: "recording again; ")
                    return try await recording.finish(accrec, after: 1.5)
                }
                #expect(result.end == .exit(0), "\(result.standardError)")
                #expect(result.standardError.contains("filled with silence)"))
                let numbers = try recording.counter().numbers
                // How far the counter is off before and after the longest silence.
                let sounds = numbers.indices.filter { numbers[$0] != 0 }
                let (before, after) = try #require(zip(sounds, sounds.dropFirst()).max { $0.1 - $0.0 < $1.1 - $1.0 })
                #expect(after - before > 2 * 48_000 - Tolerance.gap)
                // Once the source has settled, but not later: a cycle that the server skips then is not in the silence.
                let settled = try #require(sounds.first { $0 >= after + Tolerance.startOfRecording })
                let shift = (Int(numbers[settled]) - settled) - (Int(numbers[before]) - before)
                let early = try await clock.lead(at: numbers[before])
                let late = try await clock.lead(at: numbers[settled])
                let expected =
                    late.lowerBound - early.upperBound - Tolerance.gapOfReplugging...late.upperBound - early.lowerBound
                    + Tolerance.gapOfReplugging
                #expect(expected ~= shift, "\(shift) frames off, by a clock from \(early) to \(late)")
            }
        }
    }

    @Test(
        "D-02, D-05, F-05: falling back to a source with another rate and channel count",
        arguments: ServerKind.allCases)
    func fallsBack(kind: ServerKind) async throws {
        try await PrivateServer.with(kind) { server in
            let other = PCMFormat(rate: 44_100, channels: 1)
            try await server.loadNullSink("room")
            try await server.loadNullSink("hall", other)
            // The default, to which the server moves the stream when its source is lost.
            try await server.loadNullSink("street")
            try await server.setDefaultSource("street.monitor")
            let one = Signal.sine(frequency: 1_000, peak: -6, rate: 48_000, channels: 2, frames: 48_000)
            let two = Signal.sine(frequency: 2_000, peak: -6, rate: 44_100, channels: 1, frames: 44_100)
            let three = Signal.sine(frequency: 3_000, peak: -6, rate: 48_000, channels: 2, frames: 48_000)
            let data = [one, two, three].map { Signal.data(Signal.int16($0)) }
            try await Player.with(data[0], into: "room", on: server) { _ in
                try await Player.with(data[1], other, into: "hall", on: server) { _ in
                    try await Player.with(data[2], into: "street", on: server) { _ in
                        let microphone = try await server.makeMicrophone("near", hearing: "room")
                        try await server.makeMicrophone("far", hearing: "hall", other)
                        let recording = TestRecording(on: server)
                        let arguments = recording.record(with: ["--on-disconnect", "fallback"])
                        let result = try await AccrecProcess.with(arguments, on: server) { accrec in
                            try await recording.wait(for: 2, accrec)
                            try await server.unloadModule(microphone)
                            // Whether a gap is reported depends on what the server delivered last.
                            try await eventually("the message about the other source") {
                                accrec.standardError.components(separatedBy: "recording from").count == 3
                            }
                            return try await recording.finish(accrec, after: 2.5)
                        }
                        #expect(result.end == .exit(0), "\(result.standardError)")
                        let samples = try PCMFile(wav: recording.url).channel(0)
                        let first = Tone.clearest(in: Array(samples[24_000..<72_000]), rate: 48_000, near: 1_000)
                        let last = Tone.clearest(in: Array(samples.suffix(48_000)), rate: 48_000, near: 2_000)
                        #expect(abs(first.frequency / 1_000 - 1) < 1e-4 && abs(first.peak + 6) < 0.1)
                        #expect(abs(last.frequency / 2_000 - 1) < 1e-4 && abs(last.peak + 6) < 0.1)
                        // A single fragment of it would be at -46 dB.
                        #expect(Tone(in: samples, rate: 48_000, at: 3_000).peak < -70)
                    }
                }
            }
        }
    }

    @Test("I-11: Ctrl-C ends an interrupted recording at once, and keeps it", arguments: ServerKind.allCases)
    func anInterruptedTakeCanBeFinished(kind: ServerKind) async throws {
        try await Rooms.with(kind) { server, microphone in
            let recording = TestRecording(on: server)
            let result = try await AccrecProcess.with(recording.record(), on: server) { accrec in
                try await recording.wait(for: 1, accrec)
                try await server.unloadModule(microphone)
                try await accrec.waitForStandardError(containing: "' was unplugged")
                accrec.signal(SIGINT)
                return try await accrec.wait(within: 10)
            }
            #expect(result.end == .exit(0), "\(result.standardError)")
            #expect(try recording.counter().numbers.count > 48_000 - Tolerance.fragmentInTransit)
        }
    }
}
