import Foundation
import TestSupport
import Testing

/// Events of things that do not happen in every take, each from its real cause.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct EventCauseTests {
    private static let options = ["--events", "events.jsonl", "-r", "48000"]

    /// The lines so far, each of which the schema has to allow once the take is over.
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

    /// The events of that name of a take that is over.
    private func told(_ name: String, in directory: URL) async throws -> [[String: Any]] {
        try await JSONSchema.expect(directory.appending(path: "events.jsonl"), toFit: "events-1")
        return try events(in: directory).filter { $0["event"] as? String == name }
    }

    @Test("limit, file_removed: a take of a certain length, of which only the last file is kept")
    func limits() async throws {
        try await PrivateServer.with(.pulseAudio) { server in
            try await server.loadNullSink("room", isPrompt: true)
            let take = ["record", "-d", "room.monitor", "-o", "p-{n}.wav", "--max", "2.5", "--split-every", "1"]
            let result = try await AccrecProcess.run(
                take + ["--keep-last", "1"] + Self.options, on: server, in: server.directory)
            #expect(result.end == .exit(0), "\(result.standardError)")
            let limit = try await told("limit", in: server.directory)
            #expect(limit.count == 1 && limit[0]["frame"] as? Int == 120_000)
            let removed = try await told("file_removed", in: server.directory).compactMap { $0["path"] as? String }
            #expect(removed == ["p-001.wav", "p-002.wav"])
            #expect(!FileManager.default.fileExists(atPath: server.directory.appending(path: "p-002.wav").path))
        }
    }

    @Test("fell_back, then interrupted and broke_off: both devices go, one after the other")
    func devicesGo() async throws {
        try await PrivateServer.with(.pulseAudio) { server in
            try await server.loadNullSink("room", isPrompt: true)
            try await server.loadNullSink("hall", isPrompt: true)
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
            let fellBack = try await told("fell_back", in: server.directory)
            #expect(fellBack.map { ($0["source"] as? [String: Any])?["name"] as? String } == ["far"])
            #expect(try await told("interrupted", in: server.directory).last?["reason"] as? String == "device_lost")
            #expect(
                try await told("broke_off", in: server.directory).map { $0["reason"] as? String } == ["device_lost"])
        }
    }

    @Test("overrun: the program has no time for its engine, for longer than what waits for it can grow")
    func theEngineIsKeptFromWorking() async throws {
        try await Rooms.with(.pulseAudio) { server, _ in
            let (take, witness) = (Take(on: server), Take(on: server, "witness.wav"))
            // 256 fragments of 1,500 frames are eight seconds, which is what the program keeps; the server keeps more.
            let arguments = take.record(from: "room.monitor", with: ["-b", "1500"] + Self.options)
            let watching = witness.record(from: "room.monitor")
            let result = try await AccrecProcess.with(watching, on: server) { other in
                try await AccrecProcess.with(arguments, on: server, in: server.directory) { accrec in
                    try await take.wait(for: 1, accrec)
                    try await StoppedThread.with(named: "engine", of: accrec.processID) {
                        try await witness.wait(forAnother: 11, other)
                    }
                    try await wait(for: "overrun", in: server.directory)
                    return try await take.finish(accrec, after: 1)
                }
            }
            #expect(result.end == .exit(0), "\(result.standardError)")
            let overruns = try await told("overrun", in: server.directory)
            let (numbers, breaks) = try take.counter()
            #expect(!overruns.isEmpty && overruns.map { $0["frame"] as? Int } == breaks)
            for (overrun, place) in zip(overruns, breaks) {
                #expect(overrun["frames_lost"] as? Int == Int(numbers[place]) - Int(numbers[place - 1]) - 1)
            }
        }
    }

    @Test("switch_failed, device_returned: the microphone goes, there is no other to fall back to, and it comes back")
    func thereIsNoOtherDevice() async throws {
        try await PrivateServer.with(.pulseAudio) { server in
            try await server.loadNullSink("room", isPrompt: true)
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
            #expect(try await told("switch_failed", in: server.directory).count == 1)
            let returned = try await told("device_returned", in: server.directory)
            #expect(returned.map { ($0["source"] as? [String: Any])?["name"] as? String } == ["near"])
        }
    }

    @Test("port_changed: a headset is plugged into the card that is recorded from")
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
                #expect(result.standardError.contains("comes in by 'Headset Microphone' now."))
                let changes = try await told("port_changed", in: server.directory).map {
                    $0["source"] as? [String: Any]
                }
                #expect(changes.map { $0?["port"] as? String } == ["Headset Microphone"])
            }
        }
    }

    @Test("output_ended, marker: a reader goes, and somebody presses a key")
    func readersGoAndKeysArePressed() async throws {
        try await TmuxTerminal.withAccrec(playing: [Int16](repeating: 100, count: 9_600)) { terminal, server in
            let take = "accrec record -d room.monitor -o take.wav -o - \(Self.options.joined(separator: " "))"
            try await terminal.enter("\(take) | head -c 100000 >/dev/null")
            try await wait(for: "output_ended", in: server.directory)
            try await terminal.press("m")
            try await wait(for: "marker", in: server.directory)
            try await terminal.press("q")
            try await wait(for: "finished", in: server.directory)
            let ended = try await told("output_ended", in: server.directory)
            #expect(ended.map { $0["reason"] as? String } == ["reader_gone"])
            let marker = try #require(try await told("marker", in: server.directory).first)
            #expect(marker["number"] as? Int == 1 && (marker["frame"] as? Int ?? 0) > 20_000)
        }
    }
}
