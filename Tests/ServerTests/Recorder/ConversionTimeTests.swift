import ACCAudioRecorder
import Foundation
import TestSupport
import Testing

/// The timing of converted audio on a server where the first frame of a take is unknown. Outputs of one recording begin
/// at the same frame, so the unconverted one shows the position of an impulse.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct ConversionTimeTests {
    private static let rates = [8_000, 16_000, 22_050, 44_100, 48_000, 96_000, 192_000]

    @Test(
        "F-05: an impulse keeps its position within half a sample, at all pairs of rates, on PipeWire", arguments: rates
    )
    func keepsTheTime(from: Int) async throws {
        let format = PCMFormat(rate: from, channels: 1, encoding: .f32)
        var impulse = [Float](repeating: 0, count: from / 4)
        impulse[0] = 1
        try await PrivateServer.with(.pipeWire) { server in
            // Otherwise PipeWire also converts the rate.
            try await server.forceRate(from)
            try await server.loadNullSink("room", format)
            try await Player.with(Signal.data(impulse), format, into: "room", on: server) { _ in
                let recorder = ACCAudioRecorder(
                    configuration: .init(
                        audioSessionMode: .measurement, sourceName: "room.monitor", serverName: server.address))
                await recorder.setTimeLimit(maxDuration: 1)
                let native = server.directory.appending(path: "native.wav")
                let streams = try await recorder.startRecording(
                    to: [RecordingOutput(path: native.path, encoding: .f32)]
                        + Self.rates.map { rate in
                            try RecordingOutput(
                                path: server.directory.appending(path: "\(rate).wav").path, encoding: .f32,
                                sampleRate: Double(rate))
                        })
                for await _ in streams.events {}

                let source = try PCMFile(wav: native)
                #expect(source.rate == from && source.frames == from)
                let samples = source.floats
                let frame = try #require((from / 4..<from * 3 / 4).first { samples[$0] != 0 })
                #expect(samples[frame] == 1)
                for to in Self.rates {
                    let take = try PCMFile(wav: server.directory.appending(path: "\(to).wav"))
                    #expect(take.rate == to && take.frames == to)
                    let expected = Double(frame) * Double(to) / Double(from)
                    // Without the impulses before and after.
                    let start = Int(expected) - to / 10
                    let part = Array(take.floats[start..<start + to / 5])
                    let band = 0.9 * Double(min(from, to)) / Double(to)
                    let position = try #require(Impulse.position(in: part, upTo: band)) + Double(start)
                    #expect(abs(position - expected) < 0.02, "\(from) Hz to \(to) Hz")
                }
            }
        }
    }
}
