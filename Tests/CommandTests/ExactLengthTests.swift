import Foundation
import TestSupport
import Testing

/// R-08, F-05: a take that ends at `--max` has exactly `round(seconds × rate)` frames.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct ExactLengthTests {
    private static let takes: [(arguments: [String], frames: Int, rate: Int, channels: Int)] = [
        (["--max", "60"], 2_646_000, 44_100, 1),
        (["--max", "1.5", "-r", "48000"], 72_000, 48_000, 1),
        (["--max", "0.0001", "-r", "44100"], 4, 44_100, 1),
        (["--max", "1:00", "-r", "11025", "-c", "2"], 661_500, 11_025, 2),
        (["--max", "2s", "-b", "16"], 88_200, 44_100, 1),
        (["--max", "2s", "-b", "65536", "-r", "96000"], 192_000, 96_000, 1),
        (["--max", "2", "-m", "measurement"], 96_000, 48_000, 2),
        (["--max", "2", "-m", "voice-chat"], 32_000, 16_000, 1),
        (["--max", "2", "-m", "video-recording", "-c", "1"], 96_000, 48_000, 1),
        (["--max", "2", "-m", "spoken-audio", "-r", "8000"], 16_000, 8_000, 1),
    ]

    /// All takes at once on both servers, because the longest lasts a minute.
    @Test func maxIsExact() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for kind in ServerKind.allCases {
                group.addTask {
                    try await PrivateServer.with(kind) { server in
                        try await server.loadNullSink("room")
                        try await Self.recordAll(on: server)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    private static func recordAll(on server: PrivateServer) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, take) in takes.enumerated() {
                group.addTask {
                    let path = server.directory.appending(path: "\(index).wav")
                    let result = try await AccrecProcess.run(
                        ["record", "-o", path.path, "-d", "room.monitor"] + take.arguments, on: server, within: 90)
                    #expect(result.end == .exit(0), "\(result.standardError)")
                    let file = try PCMFile(wav: path)
                    #expect(file.frames == take.frames)
                    #expect(file.rate == take.rate)
                    #expect(file.channels == take.channels)
                    #expect(result.standardError.contains(", \(take.frames) frames, "))
                    #expect(result.standardOutput.isEmpty)
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("F-06: 16 kHz mono float to a pipe, and nothing else", arguments: ServerKind.allCases)
    func standardOutputCarriesSamplesOnly(kind: ServerKind) async throws {
        try await PrivateServer.with(kind) { server in
            try await server.loadNullSink("room")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (encoding, bytes) in [("f32", 4), ("s16", 2), ("s24", 3), ("s32", 4), ("u8", 1), ("f64", 8)] {
                    group.addTask {
                        let result = try await AccrecProcess.run(
                            ["record", "-o", "-", "--encoding", encoding, "-r", "16000", "-c", "1", "--max", "1"]
                                + ["-d", "room.monitor"], on: server)
                        #expect(result.end == .exit(0), "\(result.standardError)")
                        #expect(result.standardOutput.count == 16_000 * bytes)
                    }
                }
                try await group.waitForAll()
            }
        }
    }
}
