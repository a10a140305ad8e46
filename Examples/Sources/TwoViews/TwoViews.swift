// Two independent views of one recording: a clock that is there from the beginning, and a waveform that is opened in
// the middle of the recording and gets the level history at once.

import ACCAudioRecorder
import ArgumentParser
import Foundation

@main
struct TwoViews: AsyncParsableCommand {
    @Argument(help: "How long to record.") var seconds = 5.0

    func run() async throws {
        let recorder = ACCAudioRecorder()
        await recorder.setTimeLimit(maxDuration: seconds)
        let streams = try await recorder.startRecording()

        async let clock: Void = showClock(of: recorder)
        for await state in streams.state where state.currentDuration ?? seconds >= seconds / 2 { break }
        async let waveform: Void = showWaveform(of: recorder)
        _ = await (clock, waveform)

        for await case .finished(let report) in streams.events {
            if case .failed(let error) = report.ending { throw error }
        }
    }
}

/// Prints the length of the recording until it ends.
private func showClock(of recorder: ACCAudioRecorder) async {
    guard let streams = await recorder.getCurrentStreams() else { return }
    for await state in streams.state {
        guard let duration = state.currentDuration else { continue }
        print("clock:", String(format: "%.1f s", duration))
    }
}

/// Prints the level history of the recording, one character per level, until it ends.
private func showWaveform(of recorder: ACCAudioRecorder) async {
    guard let streams = await recorder.getCurrentStreams() else { return }
    for await history in streams.audioLevelHistory {
        print("waveform:", String(history.map(bar(of:))))
    }
}

/// A bar for a level from -60 to 0 dBFS.
private func bar(of level: Float) -> Character {
    let bars = Array(" ▁▂▃▄▅▆▇█")
    let height = (level + 60) / 60 * Float(bars.count)
    return bars[min(max(Int(height), 0), bars.count - 1)]
}
