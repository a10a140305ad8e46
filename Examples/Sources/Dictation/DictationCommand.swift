// Waits for speech, and writes each utterance to a file of its own, until a long silence or Ctrl-C.
//
// For utterances in files and nothing else, `SoundActivation` with `pauses: .split` needs no code of one's own. A program
// that decides for itself what speech is, or that also passes it on, has a gate like this one.

import ACCAudioRecorder
import ArgumentParser
import Terminal

@main
struct DictationCommand: AsyncParsableCommand {
    @Argument(help: "The files to write, of which {n} is the number.") var pattern = "utterance-{n}.wav"
    @Option(help: "The silence that ends the dictation, in seconds.") var silence = 30.0

    func run() async throws {
        // Buffers of 20 ms, and the server's echo cancelling if it has that.
        let recorder = ACCAudioRecorder(configuration: .init(audioSessionMode: .voiceChat))
        let dictation = Dictation(
            recorder: recorder, pattern: try FilePattern(pattern), silenceLimit: .seconds(silence))
        let ending = Task { for await _ in interrupts() { await recorder.finishRecording() } }
        defer { ending.cancel() }
        let report = try await dictation.run()
        print("\(report.frameCount) frames heard, \(report.framesLost) lost")
    }
}
