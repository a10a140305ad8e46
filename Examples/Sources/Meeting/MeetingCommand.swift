// Records the microphone and the desktop as two tracks of one file. Enter sets a marker, with the text typed before it;
// the limit or Ctrl-C ends the recording.

import ACCAudioRecorder
import ArgumentParser
import Terminal

@main
struct MeetingCommand: AsyncParsableCommand {
    @Argument(help: "The file to write.") var path = "meeting.flac"
    @Option(help: "The longest recording, in minutes.") var limit = 180.0

    func run() async throws {
        let recorder = ACCAudioRecorder(configuration: Meeting.configuration)
        await recorder.setTimeLimit(.seconds(limit * 60))
        let meeting = Meeting(recorder: recorder, output: try RecordingOutput(path: path))
        let ending = Task { for await _ in interrupts() { await recorder.finishRecording() } }
        defer { ending.cancel() }
        let report = try await meeting.run(marking: typedLines())
        for line in Minutes.lines(for: report) { print(line) }
        if case .failed = report.ending { throw ExitCode.failure }
    }
}
