import Foundation
import TestSupport
import Testing

/// R-08, F-05: a recording that ends at `--max` has exactly `round(seconds × rate)` frames.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct ExactLengthTests {
    private static let recordings: [(arguments: [String], frames: Int, rate: Int, channels: Int)] = [
        (["--max", "10"], 480_000, 48_000, 2),
        (["--max", "10", "-m", "default"], 441_000, 44_100, 1),
        (["--max", "1.5", "-c", "1"], 72_000, 48_000, 1),
        (["--max", "0.0001", "-r", "44100"], 4, 44_100, 2),
        (["--max", "0:10", "-r", "11025", "-c", "2"], 110_250, 11_025, 2),
        (["--max", "2s", "-b", "16"], 96_000, 48_000, 2),
        (["--max", "2s", "-b", "65536", "-r", "96000"], 192_000, 96_000, 2),
        (["--max", "2", "-m", "measurement"], 96_000, 48_000, 2),
        (["--max", "2", "-m", "voice-chat"], 32_000, 16_000, 1),
        (["--max", "2", "-m", "video-recording", "-c", "1"], 96_000, 48_000, 1),
        (["--max", "2", "-m", "spoken-audio", "-r", "8000"], 16_000, 8_000, 1),
    ]

    /// All recordings at once on both servers, because the longest lasts ten seconds.
    @Test func maxIsExact() async throws {
        try await ServerKind.allCases.concurrentForEach { kind in
            try await PrivateServer.withRoom(kind) { server in
                try await Self.recordings.enumerated().concurrentForEach { index, recording in
                    let result = try await server.record(["-o", "\(index).wav"] + recording.arguments)
                    let file = try server.wav("\(index).wav")
                    #expect(file.frames == recording.frames)
                    #expect(file.rate == recording.rate)
                    #expect(file.channels == recording.channels)
                    #expect(result.standardError.contains(", \(recording.frames) frames, "))
                    #expect(result.standardOutput.isEmpty)
                }
            }
        }
    }

    @Test("F-06: 16 kHz mono float to a pipe, and nothing else", arguments: ServerKind.allCases)
    func standardOutputCarriesSamplesOnly(kind: ServerKind) async throws {
        try await PrivateServer.withRoom(kind) { server in
            let encodings = [("f32", 4), ("s16", 2), ("s24", 3), ("s32", 4), ("u8", 1), ("f64", 8)]
            try await encodings.concurrentForEach { encoding, bytes in
                let options = ["-o", "-", "--encoding", encoding, "-r", "16000", "-c", "1", "--max", "1"]
                let result = try await server.record(options)
                #expect(result.standardOutput.count == 16_000 * bytes)
            }
        }
    }
}
