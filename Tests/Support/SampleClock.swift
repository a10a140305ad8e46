/// A clock that counts the frames of a source, as another program records them.
///
/// A test that needs time to pass waits for frames: a server that is late delivers them late, and so has the time that it
/// needs.
public struct SampleClock: Sendable {
    /// The recording so far.
    public let parec: ChildProcess
    private let format: PCMFormat

    /// Runs a body while the source is recorded, once its first frames have arrived.
    ///
    /// - Parameters:
    ///   - latency: How much the server collects before it delivers it, in milliseconds: how finely time is measured,
    ///     unless the source is slower. A sink renders no more than this at a time while its monitor is recorded.
    public static func with<Value>(
        of source: String, _ format: PCMFormat = PCMFormat(), latency: Int = 50, on server: PrivateServer,
        _ body: (SampleClock) async throws -> Value
    ) async throws -> Value {
        let parec = ["parec", "--raw", "--device=\(source)", "--latency-msec=\(latency)"] + format.options
        return try await ChildProcess.with(Urgency.command + parec, environment: server.environment) { parec in
            let clock = SampleClock(parec: parec, format: format)
            try await eventually("a frame of \(source): \(parec.standardError)") { clock.frameCount > 0 }
            return try await body(clock)
        }
    }

    /// The number of frames so far.
    private var frameCount: Int { parec.standardOutputByteCount / format.frameSize }

    /// Waits until this many seconds more have been recorded.
    public func wait(for seconds: Double) async throws {
        let end = frameCount + Int(seconds * Double(format.rate))
        try await eventually("\(seconds) s of a source: \(parec.standardError)", within: seconds + 20) {
            frameCount >= end
        }
    }
}
