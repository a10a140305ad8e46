import Foundation
import TestSupport
import Testing

/// Events that do not occur in every take, each with its real cause.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct EventCauseTests {
    private static let options = ["--events", "events.jsonl", "-r", "48000"]

    /// The lines so far. The schema is checked once the take is over.
    private func events(in directory: URL) throws -> [[String: Any]] {
        let file = directory.appending(path: "events.jsonl")
        let lines = ((try? String(contentsOf: file, encoding: .utf8)) ?? "").split(separator: "\n")
        return lines.compactMap { try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }
    }

    private func wait(for name: String, in directory: URL) async throws {
        try await eventually("the event \(name)", within: 20) {
            try events(in: directory).contains { $0["event"] as? String == name }
        }
    }

    /// The events of that name in a finished take, validated against the schema.
    private func events(named name: String, in directory: URL) async throws -> [[String: Any]] {
        try await JSONSchema.expect(directory.appending(path: "events.jsonl"), toFit: "events-1")
        return try events(in: directory).filter { $0["event"] as? String == name }
    }

    @Test("limit, file_removed: a take with a time limit keeps only its last file")
    func limits() async throws {
        try await PrivateServer.with(.pulseAudio) { server in
            try await server.loadNullSink("room")
            let take = ["record", "-d", "room.monitor", "-o", "p-{n}.wav", "--max", "2.5", "--split-every", "1"]
            let result = try await AccrecProcess.run(
                take + ["--keep-last", "1"] + Self.options, on: server, in: server.directory)
            #expect(result.end == .exit(0), "\(result.standardError)")
            let limit = try await events(named: "limit", in: server.directory)
            #expect(limit.count == 1 && limit[0]["frame"] as? Int == 120_000)
            let removed = try await events(named: "file_removed", in: server.directory).compactMap {
                $0["path"] as? String
            }
            #expect(removed == ["p-001.wav", "p-002.wav"])
            #expect(!FileManager.default.fileExists(atPath: server.directory.appending(path: "p-002.wav").path))
        }
    }

    @Test("fell_back, then interrupted and broke_off: both devices are lost, one after the other")
    func devicesGo() async throws {
        try await PrivateServer.with(.pulseAudio) { server in
            try await server.loadNullSink("room")
            try await server.loadNullSink("hall")
            let near = try await server.makeMicrophone("near", hearing: "room")
            let far = try await server.makeMicrophone("far", hearing: "hall")
            let take = ["record", "-d", "near", "-o", "take.wav", "--on-disconnect", "fallback"]
            let result = try await AccrecProcess.with(
                take + ["--interruption-timeout", "0.5"] + Self.options, on: server, in: server.directory
            ) { accrec in
                try await wait(for: "started", in: server.directory)
                try await server.unloadModule(near)
                try await wait(for: "fell_back", in: server.directory)
                try await server.unloadModule(far)
                return try await accrec.wait(within: 20)
            }
            #expect(result.end == .exit(3), "\(result.standardError)")
            let fellBack = try await events(named: "fell_back", in: server.directory)
            #expect(fellBack.map { ($0["source"] as? [String: Any])?["name"] as? String } == ["far"])
            #expect(
                try await events(named: "interrupted", in: server.directory).last?["reason"] as? String == "device_lost"
            )
            #expect(
                try await events(named: "broke_off", in: server.directory).map { $0["reason"] as? String } == [
                    "device_lost"
                ])
        }
    }

    @Test("overrun: the engine is blocked for longer than the buffers last")
    func theEngineIsKeptFromWorking() async throws {
        // At this rate the program buffers eight seconds, and libpulse four more.
        let format = PCMFormat(rate: 192_000)
        try await PrivateServer.with(.pulseAudio) { server in
            try await server.loadNullSink("room", format)
            let counter = Signal.data(Signal.counter(from: 1, frames: 40 * format.rate, channels: 2))
            try await Player.with(counter, format, into: "room", on: server) { _ in
                let (take, witness) = (Take(on: server), Take(on: server, "witness.wav"))
                let buffer = ["-b", "1500"]
                let arguments = take.record(
                    from: "room.monitor", rate: "native", with: buffer + Self.options.dropLast(2))
                let watching = witness.record(from: "room.monitor", rate: "native", with: buffer)
                let result = try await AccrecProcess.with(watching, on: server) { other in
                    try await AccrecProcess.with(arguments, on: server, in: server.directory) { accrec in
                        try await take.wait(for: 4, accrec)
                        try await StoppedThread.with(named: "engine", of: accrec.processID) {
                            // As many bytes as in 15 s.
                            try await witness.wait(forAnother: 15 * 4, other)
                        }
                        try await wait(for: "overrun", in: server.directory)
                        return try await take.finish(accrec, after: 4)
                    }
                }
                #expect(result.end == .exit(0), "\(result.standardError)")
                let overruns = try await events(named: "overrun", in: server.directory)
                let numbers = Signal.numbers(inCounter: try PCMFile(wav: take.url).int16, channels: 2)
                // Silence means that the player was late on a busy machine.
                let sounds = numbers.indices.dropFirst().filter { numbers[$0 - 1] != 0 && numbers[$0] != 0 }
                let breaks = sounds.filter { numbers[$0] != numbers[$0 - 1] &+ 1 }
                #expect(!overruns.isEmpty && overruns.map { $0["frame"] as? Int } == breaks)
                for (overrun, place) in zip(overruns, breaks) {
                    #expect(overrun["frames_lost"] as? Int == Int(numbers[place]) - Int(numbers[place - 1]) - 1)
                }
            }
        }
    }

    @Test("switch_failed, device_returned: the microphone is lost without a fallback, and returns")
    func thereIsNoOtherDevice() async throws {
        try await PrivateServer.with(.pulseAudio) { server in
            try await server.loadNullSink("room")
            let near = try await server.makeMicrophone("near", hearing: "room")
            let take = ["record", "-d", "near", "-o", "take.wav", "--on-disconnect", "fallback"]
            let result = try await AccrecProcess.with(take + Self.options, on: server, in: server.directory) { accrec in
                try await wait(for: "started", in: server.directory)
                try await server.unloadModule(near)
                try await wait(for: "switch_failed", in: server.directory)
                _ = try await server.makeMicrophone("near", hearing: "room")
                try await wait(for: "resumed", in: server.directory)
                accrec.signal(SIGINT)
                return try await accrec.wait(within: 20)
            }
            #expect(result.end == .exit(0), "\(result.standardError)")
            #expect(try await events(named: "switch_failed", in: server.directory).count == 1)
            let returned = try await events(named: "device_returned", in: server.directory)
            #expect(returned.map { ($0["source"] as? [String: Any])?["name"] as? String } == ["near"])
        }
    }

    @Test("port_changed: a headset is plugged into the recorded card")
    func aHeadsetIsPluggedIn() async throws {
        try await PrivateServer.with(.pipeWire) { server in
            let device = server.directory.appending(path: "ported-device")
            let options = try await ["-Wno-everything"] + CHelper.options(for: "libpipewire-0.3")
            try await CHelper.compile("Devices/ported-device.c", to: device, options)
            try await ChildProcess.with([device.path, "mic"], environment: server.environment, input: .pipe) { card in
                try await eventually("a microphone with ports: \(card.standardError)") {
                    try await server.pactl("list", "sources").contains("Active Port: input-internal")
                }
                let take = ["record", "-d", "mic", "-o", "take.wav"] + Self.options
                let result = try await AccrecProcess.with(take, on: server, in: server.directory) { accrec in
                    try await wait(for: "started", in: server.directory)
                    card.signal(SIGUSR1)
                    try await wait(for: "port_changed", in: server.directory)
                    accrec.signal(SIGINT)
                    return try await accrec.wait(within: 20)
                }
                #expect(result.end == .exit(0), "\(result.standardError)")
                #expect(result.standardError.contains("switched to 'Headset Microphone'"))
                let changes = try await events(named: "port_changed", in: server.directory).map {
                    $0["source"] as? [String: Any]
                }
                #expect(changes.map { $0?["port"] as? String } == ["Headset Microphone"])
            }
        }
    }

    @Test("output_ended, marker: a reader closes its pipe, and a key is pressed")
    func readersGoAndKeysArePressed() async throws {
        try await TmuxTerminal.withAccrec(playing: [Int16](repeating: 100, count: 9_600)) { terminal, server in
            let take = "accrec record -d room.monitor -o take.wav -o - \(Self.options.joined(separator: " "))"
            try await terminal.enter("\(take) | head -c 100000 >/dev/null")
            try await wait(for: "output_ended", in: server.directory)
            try await terminal.press("m")
            try await wait(for: "marker", in: server.directory)
            try await terminal.press("q")
            try await wait(for: "finished", in: server.directory)
            let ended = try await events(named: "output_ended", in: server.directory)
            #expect(ended.map { $0["reason"] as? String } == ["reader_gone"])
            let marker = try #require(try await events(named: "marker", in: server.directory).first)
            #expect(marker["number"] as? Int == 1 && (marker["frame"] as? Int ?? 0) > 20_000)
        }
    }
}
