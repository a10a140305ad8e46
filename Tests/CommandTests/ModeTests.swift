import Foundation
import TestSupport
import Testing

/// the effects of each mode, observed at the server and in the file.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct ModeTests {
    @Test("R-12, B-03: the properties that the server receives", arguments: ServerKind.allCases)
    func setsStreamProperties(kind: ServerKind) async throws {
        let modes: [(name: String, properties: [String: String])] = [
            ("default", ["media.role": "production"]),
            ("measurement", ["media.role": "production", "filter.suppress": "echo-cancel"]),
            ("voice-chat", ["media.role": "phone", "filter.want": "echo-cancel"]),
            ("video-recording", ["media.role": "production"]), ("spoken-audio", ["media.role": "production"]),
        ]
        try await PrivateServer.with(kind) { server in
            try await server.loadNullSink("room")
            for mode in modes {
                let path = server.directory.appending(path: "\(mode.name).wav").path
                let arguments = ["record", "-o", path, "-d", "room.monitor", "-m", mode.name]
                try await AccrecProcess.with(arguments, on: server) { accrec in
                    try await accrec.waitForStandardError(containing: "recording from")
                    let streams = try await server.pactl("list", "source-outputs")
                    for name in ["media.role", "filter.want", "filter.suppress"] {
                        let value = mode.properties[name]
                        #expect(streams.contains("\(name) = \"") == (value != nil), "\(mode.name): \(name)")
                        if let value { #expect(streams.contains("\(name) = \"\(value)\""), "\(mode.name)") }
                    }
                    accrec.signal(SIGINT)
                    _ = try await accrec.wait()
                }
            }
            // The user's properties override the mode's.
            let result = try await AccrecProcess.with(
                ["record", "-o", "-", "-d", "room.monitor"], on: server,
                environment: ["PULSE_PROP_media.role": "music"]
            ) { accrec in
                try await accrec.waitForStandardError(containing: "recording from")
                let streams = try await server.pactl("list", "source-outputs")
                accrec.signal(SIGINT)
                _ = try await accrec.wait()
                return streams
            }
            #expect(result.contains("media.role = \"music\""))
        }
    }

    @Test("A video take stores its start time: bext in WAV, the date in FLAC", arguments: ServerKind.allCases)
    func storesTheStartTime(kind: ServerKind) async throws {
        try await PrivateServer.with(kind) { server in
            try await server.loadNullSink("room")
            let wav = server.directory.appending(path: "take.wav")
            let flac = server.directory.appending(path: "take.flac")
            let utc = ["TZ": "UTC"]
            let before = Date()
            let take = ["record", "-m", "video-recording", "-d", "room.monitor", "--max", "0.5", "-o"]
            for path in [wav, flac] {
                let result = try await AccrecProcess.run(take + [path.path], on: server, environment: utc)
                #expect(result.end == .exit(0), "\(result.standardError)")
            }
            let after = Date()

            let chunk = try #require(try BroadcastChunk(wav))
            #expect(chunk.originator == "accrec")
            let reference = chunk.timeReference
            let format = DateFormatter()
            format.locale = Locale(identifier: "en_US_POSIX")
            format.timeZone = TimeZone(identifier: "UTC")
            format.dateFormat = "yyyy-MM-dd"
            let midnight = try #require(format.date(from: chunk.date))
            let start = midnight.addingTimeInterval(Double(reference) / 48_000)
            // The server's latency is an estimate.
            #expect(start > before.addingTimeInterval(-0.1) && start < after)
            let clock = (reference / 48_000 / 3_600, reference / 48_000 / 60 % 60, reference / 48_000 % 60)
            #expect(chunk.time == String(format: "%02d:%02d:%02d", clock.0, clock.1, clock.2))

            let tags = try await ChildProcess.run(["metaflac", "--show-tag=DATE", flac.path]).text
            format.dateFormat = "yyyy-MM-dd'T'HH:mm:ss.SSS"
            let date = String(tags.trimmingCharacters(in: .newlines).dropFirst("DATE=".count))
            let flacStart = try #require(format.date(from: date))
            #expect(flacStart > start && flacStart < after)
            #expect(try await PCMFile(flac: flac).frames == 24_000)
        }
    }
}
