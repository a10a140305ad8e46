extension ACCAudioRecorder {
    /// The versions of the libraries in use, and the name and version of the sound server, or why it cannot be reached: for
    /// reports of faults.
    package static func software() async -> [String] {
        let libraries = [
            "libpulse-\(PulseBackend.libraryVersion)", Container.soundFileVersion, Resampler.libraryVersion,
        ]
        do throws(CaptureFailure) {
            return libraries + ["server: " + (try await PulseConnection.connect(to: nil).software())]
        } catch {
            return libraries + ["no server: \(error.message)"]
        }
    }
}
