import Foundation
import TestSupport
import Testing

/// `accrec ctl`, from another process.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct RemoteControlTests {
    /// The path of a recording's socket.
    private func socket(of accrec: ChildProcess, on server: PrivateServer) throws -> String {
        let directory = try #require(server.environment["XDG_RUNTIME_DIR"])
        return "\(directory)/accrec/\(accrec.processID)-1.sock"
    }

    @Test("Each command acts on a running recording and answers", arguments: ServerKind.allCases)
    func commandsAct(kind: ServerKind) async throws {
        try await Rooms.with(kind) { server, _ in
            let recording = TestRecording(on: server)
            try await server.record(recording, from: "near", within: 10) { accrec in
                try await recording.wait(for: 1, accrec)
                let status = try #require(try await server.ctl("status").status)
                #expect(status.state == "recording" && status.duration > 0.5 && status.file == recording.url.path)
                #expect(status.processID == accrec.processID)

                #expect(try await server.ctl("mark", "here it is").ok)
                // What is paused sooner may have no frame after the marker.
                try await recording.wait(forAnother: 0.2, accrec)
                #expect(try await server.ctl("pause").status?.state == "paused")
                let paused = try #require(try await server.ctl("status").status)
                #expect(try await server.ctl("status", "--recording", "take").status?.frame == paused.frame)
                #expect(try await server.ctl("toggle").status?.state == "recording")
                try await recording.wait(forAnother: 0.5, accrec)
                #expect(try await server.ctl("split").ok)
                try await TestRecording(on: server, "take-002.wav").wait(for: 0.5, accrec)

                let end = try await server.ctl("stop")
                #expect(end.report?.exitStatus == 0 && end.report?.recording.ending == .finished)
                _ = try await accrec.wait(within: 10)
                let marker = try #require(try WAVMarker.all(in: recording.url).first { $0.label == "here it is" })
                #expect(marker.frame > 24_000)
                #expect(marker.frame < paused.frame)
            }
            #expect(try await server.accrec(["ctl"]).text == "no recording is running\n")
        }
    }

    @Test("Without a runtime directory a recording is reached as well, and says through what")
    func withoutRuntimeDirectory() async throws {
        try await PrivateServer.withRoom(.pulseAudio) { server in
            let (none, recording) = (["XDG_RUNTIME_DIR": ""], TestRecording(on: server, "fallback.wav"))
            let result = try await server.record(recording, environment: none, within: 10) { accrec in
                try await recording.wait(for: 0.5, accrec)
                let list = try await server.accrec(["ctl"], environment: none)
                #expect(list.text.contains("\(accrec.processID)  recording"), "\(list.text)")
                try await server.accrec(["ctl", "stop", "--recording", "\(accrec.processID)"], environment: none)
            }
            let user = geteuid()
            let isMade = FileManager.default.fileExists(atPath: "/run/user/\(user)")
            let word = "XDG_RUNTIME_DIR is not set: 'accrec ctl' reaches this recording through '/tmp/accrec-\(user)'"
            #expect(result.standardError.contains(word) == !isMade, "\(result.standardError)")
        }
    }

    @Test("A recording that ctl discards leaves no file; one that waits is cancelled")
    func endIsAnswered() async throws {
        try await PrivateServer.withRoom(.pulseAudio) { server in
            let recording = TestRecording(on: server)
            try await server.record(recording, within: 10) { accrec in
                try await recording.wait(for: 0.5, accrec)
                #expect(try await server.ctl("discard").report?.recording.ending == .discarded)
            }
            #expect(!server.hasFile("take.wav"))
            try await server.record(recording, with: ["--start-in", "1h"], status: 1, within: 10) { accrec in
                try await eventually("the socket") {
                    FileManager.default.fileExists(atPath: try socket(of: accrec, on: server))
                }
                let status = try await server.ctl("status").status
                #expect(status?.state == "scheduled" && status?.file?.hasSuffix("/take.wav") == true)
                #expect(status?.source == nil)
                let refused = try await server.accrec(["ctl", "mark", "--recording", "take"], status: 1)
                #expect(
                    refused.standardError
                        == "accrec: cannot mark: the recording has not begun. 'accrec ctl start' begins it.\n")
                #expect(try await server.ctl("stop").report == nil)
            }
        }
    }

    @Test("'follow' passes events on and 'tap' samples, until the recording ends")
    func streamsAreFollowed() async throws {
        try await Rooms.with(.pulseAudio) { server, _ in
            let recording = TestRecording(on: server)
            try await server.record(recording, from: "near") { accrec in
                try await recording.wait(for: 0.5, accrec)
                var samples: ProcessResult?
                let events = try await server.accrec(["ctl", "follow"], within: 10) { follower in
                    samples = try await server.accrec(["ctl", "tap", "-c", "2"], within: 10) { tap in
                        try await eventually("samples") { tap.standardOutput.count > 192_000 }
                        // Until this is in the follower's events, it may not follow yet.
                        try await eventually("a marker") {
                            _ = try await server.ctl("mark")
                            return follower.standardOutput.contains(Data(#""event":"marker""#.utf8))
                        }
                        accrec.signal(SIGINT)
                        _ = try await accrec.wait()
                    }
                }
                let tapped = Signal.int16(try #require(samples).standardOutput)
                let numbers = Signal.numbers(inCounter: tapped, channels: 2).filter { $0 != 0 }
                let recorded = try recording.counter().numbers
                #expect(numbers == Array(recorded.suffix(numbers.count)))
                #expect(events.text.contains(#""event":"finished""#), "\(events.text)")
            }
        }
    }

    @Test("A hundred clients that stall and one that floods cost the recording no frame")
    func clientsCostNothing() async throws {
        try await Rooms.with(.pulseAudio) { server, _ in
            let recording = TestRecording(on: server)
            let result = try await server.record(recording, from: "near") { accrec in
                try await recording.wait(for: 0.5, accrec)
                let path = try socket(of: accrec, on: server)
                let stalled = try (0..<100).map { _ in try LocalSocket(connectingTo: path) }
                for (index, client) in stalled.enumerated() {
                    client.send(index % 2 == 0 ? #"{"command":"tap"}"# + "\n" : #"{"comm"#)
                }
                let flood = try LocalSocket(connectingTo: path)
                let requests = String(repeating: #"{"command":"status"}"# + "\n", count: 200)
                try await eventually("two seconds of a flood") {
                    flood.send(requests)
                    return recording.seconds > 3
                }
                #expect(try await server.ctl("status").ok)
                _ = try LocalSocket(connectingTo: path).send(String(repeating: "x", count: 1 << 20))
                try await recording.finish(accrec, after: 0.5)
                withExtendedLifetime((stalled, flood)) {}
            }
            #expect(result.standardError.contains("lost      0 frames"), "\(result.standardError)")
            #expect(try recording.breaksInSound().allSatisfy { $0 < 4_800 })
        }
    }

    /// The answer to a request, which the connection then serves.
    private func answer(_ request: String, from client: LocalSocket) throws -> ControlAnswer {
        client.send(request + "\n")
        return try JSONDecoder().decode(ControlAnswer.self, from: Data((client.readLine() ?? "").utf8))
    }

    @Test("A recording is tapped in eight formats beside its own at most, until a client goes")
    func tapsAreLimited() async throws {
        try await Rooms.with(.pulseAudio) { server, _ in
            let recording = TestRecording(on: server)
            try await server.record(recording, from: "near") { accrec in
                try await recording.wait(for: 0.5, accrec)
                let path = try socket(of: accrec, on: server)
                func tap(_ values: String) throws -> (client: LocalSocket, answer: ControlAnswer) {
                    let client = try LocalSocket(connectingTo: path)
                    return (client, try answer(#"{"command":"tap"\#(values)}"#, from: client))
                }
                var taps = try (1...8).map { try tap(#","rate":\#(8_000 + $0)"#) }
                #expect(taps.allSatisfy { $0.answer.ok })
                // Formats that are converted to already cost nothing.
                taps += [try tap(""), try tap(#","rate":8001"#)]
                #expect(taps.allSatisfy { $0.answer.ok })
                let refused = try await server.accrec(["ctl", "tap", "-r", "9000"], status: 1)
                #expect(
                    refused.standardError.contains("cannot tap: it is tapped in 8 other formats already"),
                    "\(refused.standardError)")
                // Its client goes while no buffers come.
                #expect(try await server.ctl("pause").ok)
                taps.remove(at: 3)
                try await eventually("room for another format") { try tap(#","rate":9000"#).answer.ok }
                #expect(try await server.ctl("stop").ok)
                withExtendedLifetime(taps) {}
            }
        }
    }

    @Test("With lines of progress, a pause and its end are lines of their own")
    func pausesAreTold() async throws {
        try await Rooms.with(.pulseAudio) { server, _ in
            let recording = TestRecording(on: server)
            let line = "exec $accrec record -o take.wav -d near -r 48000 -c 2 --progress"
            let result = try await server.shell(line) { accrec in
                try await recording.wait(for: 0.2, accrec)
                #expect(try await server.ctl("pause").ok)
                #expect(try await server.ctl("resume").ok)
                try await recording.wait(forAnother: 0.2, accrec)
                #expect(try await server.ctl("stop").ok)
            }
            #expect(result.standardError.contains("accrec: paused\naccrec: continues\n"), "\(result.standardError)")
        }
    }

    @Test("Idle clients leave a recording the descriptors that it needs, and others can reach it")
    func clientsLeaveDescriptors() async throws {
        try await Rooms.with(.pulseAudio) { server, microphone in
            let recording = TestRecording(on: server)
            let line = "ulimit -n 64; exec $accrec record -o take.wav -d near -r 48000 -c 2"
            let result = try await server.shell(line) { accrec in
                try await recording.wait(for: 0.5, accrec)
                let path = try socket(of: accrec, on: server)
                let idle = try (0..<100).map { _ in try LocalSocket(connectingTo: path) }
                #expect(try await server.ctl("split").ok)
                let second = TestRecording(on: server, "take-002.wav")
                try await second.wait(for: 0.3, accrec)
                // What needs the most: another connection.
                try await server.unloadModule(microphone)
                _ = try await Rooms.plugIn(to: server)
                try await accrec.waitForStandardError(containing: "recording again")
                #expect(try await server.ctl("split").ok)
                try await TestRecording(on: server, "take-003.wav").finish(accrec, after: 0.3)
                withExtendedLifetime(idle) {}
            }
            #expect(result.end == .exit(0) && !result.standardError.contains("Too many"), "\(result.standardError)")
        }
    }

    @Test(
        "A killed recording's socket is cleared; requests that are none are refused; recordings are told apart by name")
    func socketsAreCleared() async throws {
        try await PrivateServer.withRoom(.pulseAudio) { server in
            let (one, two) = (TestRecording(on: server, "one.wav"), TestRecording(on: server, "two.wav"))
            try await server.record(one) { first in
                try await one.wait(for: 0.2, first)
                try await server.record(two, status: nil, within: 10) { second in
                    try await two.wait(for: 0.2, second)
                    let unclear = try await server.accrec(["ctl", "pause"], status: 1)
                    #expect(
                        unclear.standardError.contains("several run. Name one with --recording: one"),
                        "\(unclear.standardError)")
                    #expect(try await server.ctl("mark", "--take", "two.wav").ok)

                    let path = try socket(of: second, on: server)
                    let answer = try answer(#"{"command":"explode"}"#, from: try LocalSocket(connectingTo: path))
                    #expect(!answer.ok && answer.message != nil)

                    second.kill()
                    #expect(FileManager.default.fileExists(atPath: path))
                    #expect(try await server.ctl("status").status?.file == one.url.path)
                    #expect(!FileManager.default.fileExists(atPath: path))
                }
                first.signal(SIGINT)
            }
        }
    }
}
