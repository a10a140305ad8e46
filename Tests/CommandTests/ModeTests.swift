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
        try await PrivateServer.withRoom(kind) { server in
            for mode in modes {
                try await server.record(["-o", "\(mode.name).wav", "-m", mode.name], status: nil) { accrec in
                    try await accrec.waitForStandardError(containing: "recording from")
                    let streams = try await server.pactl("list", "source-outputs")
                    for name in ["media.role", "filter.want", "filter.suppress"] {
                        let value = mode.properties[name]
                        #expect(streams.contains("\(name) = \"") == (value != nil), "\(mode.name): \(name)")
                        if let value { #expect(streams.contains("\(name) = \"\(value)\""), "\(mode.name)") }
                    }
                    accrec.signal(SIGINT)
                }
            }
            // The user's properties override the mode's.
            var streams = ""
            let music = ["PULSE_PROP_media.role": "music"]
            try await server.record(["-o", "-"], environment: music, status: nil) { accrec in
                try await accrec.waitForStandardError(containing: "recording from")
                streams = try await server.pactl("list", "source-outputs")
                accrec.signal(SIGINT)
            }
            #expect(streams.contains("media.role = \"music\""))
        }
    }

    @Test("A video take stores its start time: bext in WAV, the date in FLAC", arguments: ServerKind.allCases)
    func storesTheStartTime(kind: ServerKind) async throws {
        try await PrivateServer.withRoom(kind) { server in
            let (wav, flac) = (server.file("take.wav"), server.file("take.flac"))
            let before = Date()
            for name in ["take.wav", "take.flac"] {
                let options = ["-o", name, "-m", "video-recording", "--max", "0.5"]
                try await server.record(options, environment: ["TZ": "UTC"])
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
            #expect(start > before.addingTimeInterval(-Tolerance.timeOfStart) && start < after)
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
