// Sends what is said to a WebSocket server as it is spoken, until Ctrl-C, and stays with it through lost connections.

import ACCAudioRecorder
import ArgumentParser
import UnixSignals

@main
struct VoiceAgentCommand: AsyncParsableCommand {
    @Argument(help: "The server's host.") var host = "localhost"
    @Argument(help: "The server's port.") var port = 8_765

    func run() async throws {
        let recorder = ACCAudioRecorder(configuration: Uplink.configuration)
        // Before the start, so that the server gets the first word.
        let uplink = try Uplink(of: recorder, to: host, port: port) { print($0) }
        let signals = await UnixSignalsSequence(trapping: .sigint)
        let sending = Task { try await recorder.withRecording { _ in try await uplink.run() } }
        let ending = Task {
            var presses = signals.makeAsyncIterator()
            guard await presses.next() != nil else { return }
            await recorder.finishRecording()
            print("sending the rest; press Ctrl-C again to give up")
            if await presses.next() != nil { sending.cancel() }
        }
        defer { ending.cancel() }
        do {
            let (_, report) = try await sending.value
            if case .failed(let error) = report.ending { throw error }
            print("\(report.frameCount) frames recorded, \(report.framesLost) lost")
        } catch WithRecordingError<any Error>.body(is CancellationError, let report) {
            print("the server has not received all of the \(report.frameCount) frames recorded")
            throw ExitCode.failure
        }
    }
}
