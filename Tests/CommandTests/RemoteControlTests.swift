import Foundation
import TestSupport
import Testing

/// `accrec ctl`, from another process.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct RemoteControlTests {
    /// The documented keys of an answer.
    private struct Answer: Decodable {
        struct Status: Decodable {
            let process_id: Int32
            let state: String
            let duration: Double
            let frame: Int
            let file: String?
            let markers: Int
        }
        struct Report: Decodable {
            let exit_status: Int
            let ending: String
        }
        let version: Int
        let ok: Bool
        let message: String?
        let status: Status?
        let report: Report?
    }

    private func ctl(_ arguments: String..., on server: PrivateServer) async throws -> Answer {
        let result = try await AccrecProcess.run(["ctl", "--json"] + arguments, on: server)
        #expect(result.standardError.isEmpty, "\(result.standardError)")
        return try JSONDecoder().decode(Answer.self, from: result.standardOutput)
    }

    /// The path of a take's socket.
    private func socket(of accrec: ChildProcess, on server: PrivateServer) throws -> String {
        let directory = try #require(server.environment["XDG_RUNTIME_DIR"])
        return "\(directory)/accrec/\(accrec.processID)-1.sock"
    }

    @Test("Each command acts on a running take and answers", arguments: ServerKind.allCases)
    func commandsAct(kind: ServerKind) async throws {
        try await Rooms.with(kind) { server, _ in
            let take = Take(on: server)
            try await AccrecProcess.with(take.record(), on: server) { accrec in
                try await take.wait(for: 1, accrec)
                let status = try #require(try await ctl("status", on: server).status)
                #expect(status.state == "recording" && status.duration > 0.5 && status.file == take.url.path)
                #expect(status.process_id == accrec.processID)

                #expect(try await ctl("mark", "here it is", on: server).ok)
                // What is paused sooner may have no frame after the marker.
                try await take.wait(forAnother: 0.2, accrec)
                #expect(try await ctl("pause", on: server).status?.state == "paused")
                let paused = try #require(try await ctl("status", on: server).status)
                #expect(try await ctl("status", "--take", "take", on: server).status?.frame == paused.frame)
                #expect(try await ctl("toggle", on: server).status?.state == "recording")
                try await take.wait(forAnother: 0.5, accrec)
                #expect(try await ctl("split", on: server).ok)
                let second = Take(on: server, "take-002.wav")
                try await second.wait(for: 0.5, accrec)

                let end = try await ctl("stop", on: server)
                #expect(end.report?.exit_status == 0 && end.report?.ending == "finished")
                #expect(try await accrec.wait(within: 10).end == .exit(0))
                let marker = try #require(try WAVMarker.all(in: take.url).first { $0.label == "here it is" })
                #expect(marker.frame > 24_000)
                #expect(marker.frame < paused.frame)
            }
            #expect(try await AccrecProcess.run(["ctl"], on: server).text == "no recording is running\n")
        }
    }

    @Test("A take that ctl discards leaves no file; one that waits is cancelled")
    func endIsAnswered() async throws {
        try await PrivateServer.with(.pulseAudio) { server in
            try await server.loadNullSink("room")
            let take = Take(on: server)
            try await AccrecProcess.with(take.record(from: "room.monitor"), on: server) { accrec in
                try await take.wait(for: 0.5, accrec)
                #expect(try await ctl("discard", on: server).report?.ending == "discarded")
                #expect(try await accrec.wait(within: 10).end == .exit(0))
                #expect(!FileManager.default.fileExists(atPath: take.url.path))
            }
            try await AccrecProcess.with(
                take.record(from: "room.monitor", with: ["--start-in", "1h"]), on: server
            ) { accrec in
                try await eventually("the socket") {
                    FileManager.default.fileExists(atPath: try socket(of: accrec, on: server))
                }
                #expect(try await ctl("status", on: server).status?.state == "scheduled")
                #expect(try await ctl("stop", on: server).report == nil)
                #expect(try await accrec.wait(within: 10).end == .exit(1))
            }
        }
    }

    @Test("'follow' passes events on and 'tap' samples, until the take ends")
    func streamsAreFollowed() async throws {
        try await Rooms.with(.pulseAudio) { server, _ in
            let take = Take(on: server)
            try await AccrecProcess.with(take.record(), on: server) { accrec in
                try await take.wait(for: 0.5, accrec)
                try await AccrecProcess.with(["ctl", "follow"], on: server) { follower in
                    try await AccrecProcess.with(["ctl", "tap", "-c", "2"], on: server) { tap in
                        try await eventually("samples") { tap.standardOutput.count > 192_000 }
                        // Until this is in the follower's events, it may not follow yet.
                        try await eventually("a marker") {
                            _ = try await self.ctl("mark", on: server)
                            return follower.standardOutput.contains(Data(#""event":"marker""#.utf8))
                        }
                        accrec.signal(SIGINT)
                        #expect(try await accrec.wait().end == .exit(0))
                        let samples = try await tap.wait(within: 10)
                        #expect(samples.end == .exit(0))
                        let tapped = samples.standardOutput.withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) }
                        let numbers = Signal.numbers(inCounter: tapped, channels: 2).filter { $0 != 0 }
                        let recorded = try take.counter().numbers
                        #expect(numbers == Array(recorded.suffix(numbers.count)))
                    }
                    let events = try await follower.wait(within: 10)
                    #expect(events.end == .exit(0) && events.text.contains(#""event":"finished""#), "\(events.text)")
                }
            }
        }
    }

    @Test("A hundred clients that stall and one that floods cost the take no frame", .tags(.undisturbed))
    func clientsCostNothing() async throws {
        try await Rooms.with(.pulseAudio) { server, _ in
            let take = Take(on: server)
            try await AccrecProcess.with(take.record(), on: server) { accrec in
                try await take.wait(for: 0.5, accrec)
                let path = try socket(of: accrec, on: server)
                let stalled = try (0..<100).map { _ in try LocalSocket(connectingTo: path) }
                for (index, client) in stalled.enumerated() {
                    client.send(index % 2 == 0 ? #"{"command":"tap"}"# + "\n" : #"{"comm"#)
                }
                let flood = try LocalSocket(connectingTo: path)
                let requests = String(repeating: #"{"command":"status"}"# + "\n", count: 200)
                try await eventually("two seconds of a flood") {
                    flood.send(requests)
                    return take.seconds > 3
                }
                #expect(try await ctl("status", on: server).ok)
                _ = try LocalSocket(connectingTo: path).send(String(repeating: "x", count: 1 << 20))
                let result = try await take.finish(accrec, after: 0.5)
                #expect(result.end == .exit(0))
                #expect(result.standardError.contains("lost      0 frames"), "\(result.standardError)")
                #expect(try take.breaksInSound().allSatisfy { $0 < 4_800 })
                withExtendedLifetime((stalled, flood)) {}
            }
        }
    }

    /// The answer to a request, which the connection then serves.
    private func answer(_ request: String, from client: LocalSocket) throws -> Answer {
        client.send(request + "\n")
        return try JSONDecoder().decode(Answer.self, from: Data((client.readLine() ?? "").utf8))
    }

    @Test("A recording is tapped in eight formats beside its own at most, until a client goes")
    func tapsAreLimited() async throws {
        try await Rooms.with(.pulseAudio) { server, _ in
            let take = Take(on: server)
            try await AccrecProcess.with(take.record(), on: server) { accrec in
                try await take.wait(for: 0.5, accrec)
                let path = try socket(of: accrec, on: server)
                func tap(_ values: String) throws -> (client: LocalSocket, answer: Answer) {
                    let client = try LocalSocket(connectingTo: path)
                    return (client, try answer(#"{"command":"tap"\#(values)}"#, from: client))
                }
                var taps = try (1...8).map { try tap(#","rate":\#(8_000 + $0)"#) }
                #expect(taps.allSatisfy { $0.answer.ok })
                // Formats that are converted to already cost nothing.
                taps += [try tap(""), try tap(#","rate":8001"#)]
                #expect(taps.allSatisfy { $0.answer.ok })
                let refused = try await AccrecProcess.run(["ctl", "tap", "-r", "9000"], on: server)
                #expect(refused.end == .exit(1))
                #expect(
                    refused.standardError.contains("cannot tap: it is tapped in 8 other formats already"),
                    "\(refused.standardError)")
                // Its client goes while no buffers come.
                #expect(try await ctl("pause", on: server).ok)
                taps.remove(at: 3)
                try await eventually("room for another format") { try tap(#","rate":9000"#).answer.ok }
                #expect(try await ctl("stop", on: server).ok)
                withExtendedLifetime(taps) {}
            }
        }
    }

    @Test("Idle clients leave a take the descriptors that it needs, and others can reach it")
    func clientsLeaveDescriptors() async throws {
        try await Rooms.with(.pulseAudio) { server, microphone in
            let take = Take(on: server)
            let command = ["bash", "-c", #"ulimit -n 64; exec "$@""#, "bash", try AccrecProcess.executable()]
            try await ChildProcess.with(
                command + take.record(), environment: server.environment, in: server.directory
            ) { accrec in
                try await take.wait(for: 0.5, accrec)
                let path = try socket(of: accrec, on: server)
                let idle = try (0..<100).map { _ in try LocalSocket(connectingTo: path) }
                #expect(try await ctl("split", on: server).ok)
                let second = Take(on: server, "take-002.wav")
                try await second.wait(for: 0.3, accrec)
                // What needs the most: another connection.
                try await server.unloadModule(microphone)
                _ = try await Rooms.plugIn(to: server)
                try await accrec.waitForStandardError(containing: "recording again")
                #expect(try await ctl("split", on: server).ok)
                let third = Take(on: server, "take-003.wav")
                let result = try await third.finish(accrec, after: 0.3)
                #expect(result.end == .exit(0) && !result.standardError.contains("Too many"), "\(result.standardError)")
                withExtendedLifetime(idle) {}
            }
        }
    }

    @Test("A killed take's socket is cleared; requests that are none are refused; takes are told apart by name")
    func socketsAreCleared() async throws {
        try await PrivateServer.with(.pulseAudio) { server in
            try await server.loadNullSink("room")
            let (one, two) = (Take(on: server, "one.wav"), Take(on: server, "two.wav"))
            try await AccrecProcess.with(one.record(from: "room.monitor"), on: server) { first in
                try await one.wait(for: 0.2, first)
                try await AccrecProcess.with(two.record(from: "room.monitor"), on: server) { second in
                    try await two.wait(for: 0.2, second)
                    let unclear = try await AccrecProcess.run(["ctl", "pause"], on: server)
                    #expect(unclear.end == .exit(1))
                    #expect(
                        unclear.standardError.contains("several run. Name one with --take: one"),
                        "\(unclear.standardError)")
                    #expect(try await ctl("mark", "--take", "two.wav", on: server).ok)

                    let client = try LocalSocket(connectingTo: try socket(of: second, on: server))
                    let answer = try answer(#"{"command":"explode"}"#, from: client)
                    #expect(!answer.ok && answer.message != nil)

                    second.signal(SIGKILL)
                    _ = try await second.wait(within: 10)
                    #expect(FileManager.default.fileExists(atPath: try socket(of: second, on: server)))
                    #expect(try await ctl("status", on: server).status?.file == one.url.path)
                    #expect(!FileManager.default.fileExists(atPath: try socket(of: second, on: server)))
                }
            }
        }
    }
}
