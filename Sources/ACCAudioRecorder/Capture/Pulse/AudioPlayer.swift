import CPulse
import Synchronization

/// Audio that an ``AudioPlayer`` plays.
package protocol PlaybackSource: ~Copyable {
    /// The sample rate in Hz.
    var sampleRate: Int { get }
    var channelCount: Int { get }
    /// Reads the next frames, interleaved, full scale at ±1.
    ///
    /// - Parameter samples: Room for whole frames.
    /// - Returns: The number of frames read; 0 at the end.
    mutating func read(into samples: UnsafeMutableBufferPointer<Float>) -> Int
}

/// Plays audio to a server's default sink, to the end or until it is stopped.
package final class AudioPlayer: Sendable {
    /// Why audio cannot be played, in libpulse's words.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String

        fileprivate init(code: Int32) {
            description = String(cString: pa_strerror(code))
        }
    }

    private let serverName: String?
    private let streamName: String
    private let isStopped = Atomic(false)

    /// The length of audio that the server buffers, in seconds, and so the most that is heard after a stop.
    private static let latency = 0.2

    /// - Parameters:
    ///   - serverName: The server; nil for libpulse's default.
    ///   - streamName: The name that the server shows.
    package init(serverName: String?, streamName: String) {
        self.serverName = serverName
        self.streamName = streamName
    }

    /// Plays a source on its own thread.
    ///
    /// - Parameter open: Opens the source. It is called on that thread, where the source is also read and closed.
    /// - Throws: The error of `open`; ``Failure`` if the server cannot be reached or refuses the audio.
    package func play<Source: PlaybackSource & ~Copyable>(_ open: @escaping @Sendable () throws -> Source) async throws
    {
        let end = Promise<Result<Void, any Error>>()
        try DetachedThread.start("playback") {
            end.fulfil(
                Result {
                    var source = try open()
                    try self.playBlocking(&source)
                })
        }
        try await end.value.get()
    }

    /// Ends the playback soon. Any thread may call.
    package func stop() {
        isStopped.store(true, ordering: .relaxed)
    }

    private func playBlocking<Source: PlaybackSource & ~Copyable>(_ source: inout Source) throws(Failure) {
        let (rate, channelCount) = (source.sampleRate, source.channelCount)
        let frameCount = max(Int(Double(rate) * Self.latency) / 2, 1)
        let stream = try PlaybackStream(
            serverName: serverName, name: streamName, sampleRate: rate, channelCount: channelCount,
            bufferedFrames: 2 * frameCount)
        let samples = UnsafeMutableBufferPointer<Float>.allocate(capacity: frameCount * channelCount)
        defer { samples.deallocate() }
        while !isStopped.load(ordering: .relaxed) {
            let count = source.read(into: samples)
            guard count > 0 else { return try stream.drain() }
            try stream.write(UnsafeBufferPointer(rebasing: samples[..<(count * channelCount)]))
        }
    }
}

/// A playback stream of the simple API. Used by one thread.
private struct PlaybackStream: ~Copyable {
    private let handle: OpaquePointer

    /// Opens a stream of floating-point samples.
    ///
    /// - Parameter bufferedFrames: The number of frames that the server buffers.
    init(
        serverName: String?, name: String, sampleRate: Int, channelCount: Int, bufferedFrames: Int
    ) throws(AudioPlayer.Failure) {
        // libpulse refuses sample rates and channel counts that it cannot play.
        var spec = pa_sample_spec(
            format: PA_SAMPLE_FLOAT32LE, rate: UInt32(clamping: sampleRate), channels: UInt8(clamping: channelCount))
        let size = UInt32(clamping: bufferedFrames * channelCount * MemoryLayout<Float>.size)
        var attributes = pa_buffer_attr(maxlength: .max, tlength: size, prebuf: .max, minreq: .max, fragsize: .max)
        var error: Int32 = 0
        let handle = pa_simple_new(
            serverName, "accrec", PA_STREAM_PLAYBACK, nil, name, &spec, nil, &attributes, &error)
        guard let handle else { throw AudioPlayer.Failure(code: error) }
        self.handle = handle
    }

    deinit {
        pa_simple_free(handle)
    }

    /// Writes whole frames; blocks while the server's buffer is full.
    func write(_ samples: UnsafeBufferPointer<Float>) throws(AudioPlayer.Failure) {
        var error: Int32 = 0
        guard pa_simple_write(handle, samples.baseAddress, samples.count * MemoryLayout<Float>.size, &error) >= 0 else {
            throw AudioPlayer.Failure(code: error)
        }
    }

    /// Waits until everything is played.
    func drain() throws(AudioPlayer.Failure) {
        var error: Int32 = 0
        guard pa_simple_drain(handle, &error) >= 0 else { throw AudioPlayer.Failure(code: error) }
    }
}
