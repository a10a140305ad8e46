import Foundation
import TestSupport
import Testing

/// Floating-point samples that are not finite, as from a broken filter.
@Suite(.timeLimit(.minutes(2)))
struct NonFiniteTests {
    @Test("F-02: NaN and infinity reach no output, and are counted", arguments: ServerKind.allCases)
    func theyAreReplaced(kind: ServerKind) async throws {
        let format = PCMFormat(encoding: .f32)
        var samples = Signal.sine(frequency: 1_000, peak: -6, rate: 48_000, channels: 2, frames: 48_000)
        samples[10_000] = .nan
        samples[20_001] = .infinity
        samples[30_002] = -.infinity
        samples[40_003] = 1e30
        try await PrivateServer.withRoom(kind, format, playing: .samples(Signal.data(samples))) { server in
            let names = ["wav", "flac", "ogg", "opus", "mp3", "caf"].map { "take.\($0)" }
            let outputs = names.flatMap { ["-o", $0] } + ["-o", "exact.wav,encoding=f32"]
            let result = try await server.record(
                outputs + ["-r", "48000", "-c", "2", "--max", "3", "--report", "report.json"])
            #expect(result.standardError.contains("delivers NaN or infinite samples"))

            let report = try server.report().recording
            #expect(report.nonFiniteCount >= 4)
            #expect(report.levels.allSatisfy { (-12 ... -3).contains($0.rmsDecibels) }, "\(report.levels)")
            #expect(report.outputs.allSatisfy { !$0.isBitExact })

            for name in names {
                let decoded = try DecodedFile(server.file(name)).samples
                #expect(!decoded.isEmpty && decoded.allSatisfy { abs($0) < 4 }, "\(name)")
            }
            // All other samples are unchanged.
            let exact = try DecodedFile(server.file("exact.wav")).samples
            let replaced = samples.map { abs($0) < 2 ? $0 : $0.isNaN ? 0 : $0 < 0 ? -1 : 1 }
            let start = try #require(exact.indices.first { exact[$0...].starts(with: replaced[9_000..<11_000]) })
            #expect(exact[start...].starts(with: replaced[9_000...]))
        }
    }
}
