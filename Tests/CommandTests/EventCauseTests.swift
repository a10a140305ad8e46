import Foundation
import TestSupport
import Testing

/// Events that do not occur in every recording, each with its real cause.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct EventCauseTests {
    private static let options = ["--events", "events.jsonl", "-r", "48000"]

    @Test("limit, file_removed: a recording with a time limit keeps only its last file")
    func limits() async throws {
        try await PrivateServer.withRoom(.pulseAudio) { server in
            try await server.record(
                ["-o", "p-{n}.wav", "--max", "2.5", "--split-every", "1", "--keep-last", "1"] + Self.options)
            let events = EventsFile(on: server)
            try await events.expectValid()
            #expect(try events.lines("limit").map(\.frame) == [120_000])
            #expect(
                try events.lines("file_removed").map(\.event) == [
                    .fileRemoved(path: "p-001.wav", bound: .count), .fileRemoved(path: "p-002.wav", bound: .count),
                ])
            #expect(!server.hasFile("p-002.wav"))
        }
    }

    @Test("fell_back, then interrupted and broke_off: both devices are lost, one after the other")
    func devicesGo() async throws {
        try await PrivateServer.withRoom(.pulseAudio) { server in
            try await server.loadNullSink("hall")
            let near = try await server.makeMicrophone("near", hearing: "room")
            let far = try await server.makeMicrophone("far", hearing: "hall")
            let events = EventsFile(on: server)
            let options = ["-o", "take.wav", "--on-disconnect", "fallback", "--interruption-timeout", "0.5"]
            try await server.record(options + Self.options, from: "near", status: 3, within: 20) { accrec in
                try await events.wait(for: "started", accrec)
                try await server.unloadModule(near)
                try await events.wait(for: "fell_back", accrec)
                try await server.unloadModule(far)
            }
            try await events.expectValid()
            #expect(try events.lines("fell_back").map(\.source?.name) == ["far"])
            #expect(try events.lines("interrupted").last?.reason == "device_lost")
            #expect(try events.lines("broke_off").map(\.reason) == ["device_lost"])
        }
    }

    @Test("overrun: the engine is blocked for longer than the buffers last")
    func theEngineIsKeptFromWorking() async throws {
        // At this rate the program buffers eight seconds, and libpulse four more.
        let format = PCMFormat(rate: 192_000)
        try await PrivateServer.withRoom(.pulseAudio, format, playing: .counter) { server in
            let (recording, witness) = (TestRecording(on: server), TestRecording(on: server, "witness.wav"))
            let events = EventsFile(on: server)
            let buffer = ["-b", "1500"]
            try await server.record(witness, with: buffer, rate: "native") { other in
                let options = buffer + ["--events", "events.jsonl"]
                try await server.record(recording, with: options, rate: "native") { accrec in
                    try await recording.wait(for: 4, accrec)
                    try await StoppedThread.with(named: "engine", of: accrec.processID) {
                        // As many bytes as in 15 s.
                        try await witness.wait(forAnother: 15 * 4, other)
                    }
                    try await events.wait(for: "overrun", accrec)
                    try await recording.finish(accrec, after: 4)
                }
                other.signal(SIGINT)
            }
            try await events.expectValid()
            let overruns = try events.lines("overrun").compactMap(\.gap)
            let numbers = Signal.numbers(inCounter: try PCMFile(wav: recording.url).int16, channels: 2)
            // Silence means that the player was late on a busy machine.
            let sounds = numbers.indices.dropFirst().filter { numbers[$0 - 1] != 0 && numbers[$0] != 0 }
            let breaks = sounds.filter { numbers[$0] != numbers[$0 - 1] &+ 1 }
            #expect(!overruns.isEmpty && overruns.map(\.position) == breaks, "\(overruns)")
            for (overrun, place) in zip(overruns, breaks) {
                #expect(overrun.framesLost == Int(numbers[place]) - Int(numbers[place - 1]) - 1)
            }
        }
    }

    @Test("switch_failed, device_returned: the microphone is lost without a fallback, and returns")
    func thereIsNoOtherDevice() async throws {
        try await PrivateServer.withRoom(.pulseAudio) { server in
            let near = try await server.makeMicrophone("near", hearing: "room")
            let events = EventsFile(on: server)
            let options = ["-o", "take.wav", "--on-disconnect", "fallback"]
            try await server.record(options + Self.options, from: "near", within: 20) { accrec in
                try await events.wait(for: "started", accrec)
                try await server.unloadModule(near)
                try await events.wait(for: "switch_failed", accrec)
                _ = try await server.makeMicrophone("near", hearing: "room")
                try await events.wait(for: "resumed", accrec)
                accrec.signal(SIGINT)
            }
            try await events.expectValid()
            #expect(try events.lines("switch_failed").count == 1)
            #expect(try events.lines("device_returned").map(\.source?.name) == ["near"])
        }
    }

    @Test("port_changed: a headset is plugged into the recorded card")
    func aHeadsetIsPluggedIn() async throws {
        try await PrivateServer.with(.pipeWire) { server in
            let device = server.file("ported-device")
            let options = try await ["-Wno-everything"] + CHelper.options(for: "libpipewire-0.3")
            try await CHelper.compile("Devices/ported-device.c", to: device, options)
            try await ChildProcess.with([device.path, "mic"], environment: server.environment, input: .pipe) { card in
                try await eventually("a microphone with ports: \(card.standardError)") {
                    try await server.pactl("list", "sources").contains("Active Port: input-internal")
                }
                let events = EventsFile(on: server)
                let options = ["-o", "take.wav"] + Self.options
                let result = try await server.record(options, from: "mic", within: 20) { accrec in
                    try await events.wait(for: "started", accrec)
                    card.signal(SIGUSR1)
                    try await events.wait(for: "port_changed", accrec)
                    accrec.signal(SIGINT)
                }
                #expect(result.standardError.contains("switched to 'Headset Microphone'"))
                try await events.expectValid()
                #expect(try events.lines("port_changed").map(\.source?.port) == ["Headset Microphone"])
            }
        }
    }

    @Test("output_ended, marker: a reader closes its pipe, and a key is pressed")
    func readersGoAndKeysArePressed() async throws {
        try await TmuxTerminal.withAccrec { terminal, server in
            let events = EventsFile(on: server)
            let recording = "accrec record -d room.monitor -o take.wav -o - \(Self.options.joined(separator: " "))"
            try await terminal.enter("\(recording) | head -c 100000 >/dev/null")
            try await events.wait(for: "output_ended")
            try await terminal.press("m")
            try await events.wait(for: "marker")
            try await terminal.press("q")
            try await events.wait(for: "finished")
            try await events.expectValid()
            #expect(try events.lines("output_ended").map(\.reason) == ["reader_gone"])
            let marker = try #require(try events.lines("marker").first?.marker)
            #expect(marker.number == 1 && marker.frame > 20_000)
        }
    }
}
