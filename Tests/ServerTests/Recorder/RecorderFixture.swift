import ACCAudioRecorder
import Foundation
import TestSupport

/// A recorder in this process, on a private server whose source delivers a counter: frame n carries n.
///
/// The sink `room` plays the counter; its monitor is bit-exact at 48 kHz stereo on both servers.
enum RecorderFixture {
    static let rate = 48_000

    /// A configuration for the server, which by default records the counter.
    static func configuration(
        _ server: PrivateServer, rate: Double = 48_000, channels: UInt32 = 2, bufferSize: UInt32 = 960,
        source: String = "room.monitor", interruptions: InterruptionPolicy = .init()
    ) -> ACCAudioRecorder.Configuration {
        var configuration = ACCAudioRecorder.Configuration(
            sampleRate: rate, channelCount: channels, bufferSize: bufferSize, input: .source(source))
        configuration.capture.serverName = server.address
        configuration.interruptions = interruptions
        return configuration
    }

    /// Runs a body while the counter plays.
    static func withCounter(
        _ kind: ServerKind, _ body: (PrivateServer) async throws -> Void
    ) async throws {
        try await PrivateServer.withRoom(kind, playing: .counter, body)
    }

    /// The numbers of a buffer's frames; 0 for silence before the player started.
    static func numbers(_ buffer: AudioBufferData) -> [Int] {
        Signal.numbers(inCounter: (buffer.toFloatArray() ?? []).map { Int16($0 * 32_768) }, channels: 2).map(Int.init)
    }

    /// Reads a stream to its end.
    static func all<Value: Sendable>(_ stream: AsyncStream<Value>) async -> [Value] {
        var values: [Value] = []
        for await value in stream { values.append(value) }
        return values
    }

    /// The frames after which the counter does not increase by one, ignoring leading silence.
    static func breaks(_ numbers: [Int]) -> [Int] {
        let sound = numbers.drop { $0 == 0 }
        return zip(sound.indices, zip(sound, sound.dropFirst())).compactMap { index, pair in
            pair.1 == pair.0 + 1 ? nil : index
        }
    }

    /// Waits until a recording has this many seconds.
    static func wait(for seconds: Double, of recorder: ACCAudioRecorder) async throws {
        try await eventually("\(seconds) s of recording", within: 20) {
            await recorder.currentDuration() ?? 0 >= seconds
        }
    }
}
