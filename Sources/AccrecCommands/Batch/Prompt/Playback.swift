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
        player = AudioPlayer(serverName: serverName, streamName: path)
    }

    func play() async throws(Failure) {
        do {
            try await player.play { [path] in
                let file = try SoundFileReader(path: path)
                // The file may have been replaced by an arbitrary one.
                guard (8_000...384_000).contains(file.sampleRate), (1...32).contains(file.channelCount) else {
                    throw Failure(path: path, cause: "it has \(file.channelCount) channels at \(file.sampleRate) Hz")
                }
                return file
            }
        } catch let failure as Failure {
            throw failure
        } catch {
            throw Failure(path: path, cause: "\(error)")
        }
    }

    /// Requests the end of the playback. Can be called on any thread.
    func stop() {
        player.stop()
    }
}

extension SoundFileReader: PlaybackSource {}
