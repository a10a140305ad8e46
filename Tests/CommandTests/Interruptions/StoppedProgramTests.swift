import Foundation
import TestSupport
import Testing

/// What a server buffers for a stopped program, and what it drops without notice.
@Suite(.serialized, .timeLimit(.minutes(4)))
struct StoppedProgramTests {
    @Test("A program that is stopped for three seconds loses nothing", arguments: ServerKind.allCases)
    func aStoppedProgramCatchesUp(kind: ServerKind) async throws {
        try await Rooms.with(kind) { server, _ in
            let (recording, beside) = (TestRecording(on: server), TestRecording(on: server, "beside.wav"))
            func arguments(_ recording: TestRecording, _ report: String) -> [String] {
                recording.record(from: "room.monitor", with: ["--report", server.file(report).path])
            }
            let result = try await AccrecProcess.with(arguments(beside, "beside.json"), on: server) { unstopped in
                let result = try await AccrecProcess.with(arguments(recording, "report.json"), on: server) { accrec in
                    try await recording.wait(for: 1, accrec)
                    try await SampleClock.with(of: "hall.monitor", on: server) { clock in
                        accrec.signal(SIGSTOP)
                        try await clock.wait(for: 3)
                        accrec.signal(SIGCONT)
                    }
                    try await recording.wait(for: 5, accrec)
                    accrec.signal(SIGINT)
                    return try await accrec.wait()
                }
                try await beside.finish(unstopped, after: 0.5)
                return result
            }
            #expect(result.end == .exit(0), "\(result.standardError)")
            let (numbers, breaks) = try recording.counter()
            #expect(breaks.allSatisfy { numbers[$0 - 1] == 0 || numbers[$0] == 0 }, "\(breaks)")
            // A server on a busy machine may let time pass without a cycle, for all of its recorders.
            let isServersLoss = try server.report("beside.json").recording.framesLost > 0
            #expect(
                try server.report("report.json").recording.framesLost == 0 || isServersLoss, "\(result.standardError)")
        }
    }

    // With short cycles, since a loss is placed to within one of them.
    @Test(
        "A program that is stopped for longer than the server buffers audio finds out what is missing")
    func aLongStopIsAccountedFor() async throws {
        // A server's buffer is limited in bytes, so it is full sooner at a higher rate.
        let recordings: [(kind: ServerKind, rate: Int, seconds: Int)] = [
            (.pulseAudio, 192_000, 9), (.pipeWire, 48_000, 14),
        ]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for recording in recordings {
                group.addTask { try await Self.stop(recording.kind, rate: recording.rate, seconds: recording.seconds) }
            }
            try await group.waitForAll()
        }
    }

    private static func stop(_ kind: ServerKind, rate: Int, seconds: Int) async throws {
        try await PrivateServer.withOwn(kind, isSteady: false) { server in
            let format = PCMFormat(rate: rate)
            try await server.loadNullSink("room", format)
            let counter = Signal.data(Signal.counter(from: 1, frames: 30 * rate, channels: 2))
            try await Player.with(counter, format, into: "room", on: server) { _ in
                let recording = TestRecording(on: server)
                let arguments = recording.record(from: "room.monitor", rate: "native", with: ["--fill-gaps"])
                // PulseAudio drops whole blocks, between which smaller ones may still fit. A reader with low latency keeps
                // blocks short.
                let latency = kind == .pulseAudio ? 5 : 40
                let result = try await SampleClock.with(of: "room.monitor", format, latency: latency, on: server) {
                    clock in
                    try await AccrecProcess.with(arguments, on: server) { accrec in
                        try await recording.wait(for: 1.5 * Double(rate) / 48_000, accrec)
                        accrec.signal(SIGSTOP)
                        try await clock.wait(for: Double(seconds))
                        accrec.signal(SIGCONT)
                        try await accrec.waitForStandardError(containing: ": the server dropped audio (")
                        return try await recording.finish(accrec, after: Double(rate) / 48_000)
                    }
                }
                #expect(result.end == .exit(0), "\(result.standardError)")
                let numbers = Signal.numbers(inCounter: try PCMFile(wav: recording.url).int16, channels: 2)
                let sounds = numbers.indices.filter { numbers[$0] != 0 }
                let (last, next) = try #require(zip(sounds, sounds.dropFirst()).max { $0.1 - $0.0 < $1.1 - $1.0 })
                // The counter jumps by the length of the silence, and near it.
                let near = Tolerance.frames(Tolerance.place, at: rate)
                let (early, end) = (last - rate / 5, try #require(sounds.last))
                let missing = Int(numbers[end]) - Int(numbers[early]) - (end - early - (next - last - 1))
                #expect(missing > rate)
                #expect(
                    abs(missing - (next - last - 1)) < Tolerance.account(ofLoss: missing),
                    "\(missing) of \(next - last - 1)")
                let breaks = zip(sounds, sounds.dropFirst()).filter { before, after in
                    let (missing, silence) = (Int(numbers[after]) - Int(numbers[before]) - 1, after - before - 1)
                    // What a busy server loses beside, and the recorder has found, is as much silence.
                    let isAccounted = silence > 0 && abs(missing - silence) < Tolerance.account(ofLoss: missing)
                    return missing != silence && after != next && !isAccounted
                        && !Tolerance.isSkipped(missing - silence, by: kind)
                }.map(\.1)
                #expect(
                    breaks.allSatisfy { abs($0 - next) < near || abs($0 - last) < near },
                    "\(breaks) around \(last)...\(next)")
            }
        }
    }
}
