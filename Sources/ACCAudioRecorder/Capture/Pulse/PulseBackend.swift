/// A sound server that speaks PulseAudio's protocol: PulseAudio, or PipeWire's PulseAudio server.
struct PulseBackend: CaptureBackend {
    /// The server's address; nil for libpulse's default.
    let serverName: String?

    func connect() async throws(CaptureFailure) -> any CaptureConnection {
        try await PulseConnection.connect(to: serverName)
    }
}
