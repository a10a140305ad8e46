import CPulse
import CSndFile
import Dispatch
import Synchronization

/// Plays a file to the default sink of the server that it was recorded from, to its end or until it is stopped.
final class Playback: Sendable {
    /// Why a file cannot be played.
    struct Failure: Error, CustomStringConvertible {
        let path: String
        let cause: String

        var description: String { "cannot play '\(path)': \(cause). It is recorded all the same." }
    }

    private let path: String
    private let serverName: String?
    private let isStopped = Atomic(false)

    /// How much is with the server, in seconds: what is played after it is stopped is no longer.
    private static let latency = 0.2

    /// - Parameter serverName: Nil for the one that libpulse's own rules find.
    init(path: String, serverName: String?) {
        self.path = path
        self.serverName = serverName
    }

    /// Plays it, on a thread of its own.
    func play() async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            DispatchQueue(label: "accrec.playback").async {
                continuation.resume(with: Result { try self.playBlocking() })
            }
        }
    }

    /// Has it end soon. Any thread.
    func stop() {
        isStopped.store(true, ordering: .relaxed)
    }

    private func playBlocking() throws {
        var info = SF_INFO()
        guard let file = sf_open(path, Int32(SFM_READ), &info) else {
            throw Failure(path: path, cause: String(cString: sf_strerror(nil)))
        }
        defer { sf_close(file) }
        var spec = pa_sample_spec(
            format: PA_SAMPLE_FLOAT32LE, rate: UInt32(info.samplerate), channels: UInt8(info.channels))
        let frames = Int(Double(info.samplerate) * Self.latency) / 2
        let size = frames * Int(info.channels) * MemoryLayout<Float>.size
        var attributes = pa_buffer_attr(
            maxlength: .max, tlength: UInt32(2 * size), prebuf: .max, minreq: .max, fragsize: .max)
        var error: Int32 = 0
        guard
            let stream = pa_simple_new(
                serverName, "accrec", PA_STREAM_PLAYBACK, nil, path, &spec, nil, &attributes, &error)
        else { throw failure(error) }
        defer { pa_simple_free(stream) }
        var samples = [Float](repeating: 0, count: frames * Int(info.channels))
        while !isStopped.load(ordering: .relaxed) {
            let count = Int(sf_readf_float(file, &samples, Int64(frames)))
            guard count > 0 else {
                guard pa_simple_drain(stream, &error) >= 0 else { throw failure(error) }
                return
            }
            let bytes = count * Int(info.channels) * MemoryLayout<Float>.size
            guard pa_simple_write(stream, samples, bytes, &error) >= 0 else { throw failure(error) }
        }
    }

    private func failure(_ code: Int32) -> Failure {
        Failure(path: path, cause: String(cString: pa_strerror(code)))
    }
}
