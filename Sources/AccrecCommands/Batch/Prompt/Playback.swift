import ACCAudioRecorder

/// Plays a file on the default sink of the server it was recorded from, until its end or until it is stopped.
final class Playback: Sendable {
    /// Why a file cannot be played.
    struct Failure: Error, CustomStringConvertible {
        let path: String
        let cause: String

        var description: String { "cannot play '\(path)': \(cause). The recording itself is kept." }
    }

    private let path: String
    private let player: AudioPlayer

    /// - Parameter serverName: Nil for libpulse's default server.
    init(path: String, serverName: String?) {
        self.path = path
        player = AudioPlayer(path: path, serverName: serverName)
    }

    func play() async throws(Failure) {
        do {
            _ = try await player.play()
        } catch {
            throw Failure(path: path, cause: (error as? ACCAudioRecorderError)?.failure?.cause ?? "\(error)")
        }
    }

    /// Requests the end of the playback. Can be called on any thread.
    func stop() {
        player.stop()
    }
}
