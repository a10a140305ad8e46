import Testing

@testable import ACCAudioRecorder

/// What is asked of a recording while its engine runs.
@Suite struct RecordingControlsTests {
    @Test("The server's processing may be asked for at each file of a recording without an end")
    func serverProcessing() {
        let controls = RecordingControls(broadcast: RecordingBroadcast())
        controls.setServerProcessings { [.resampled(from: 44_100, to: 48_000)] }
        // If each question made the next one's stack deeper, these would exceed it.
        let counts = (1...100_000).map { _ in controls.serverProcessing.count }
        #expect(counts.allSatisfy { $0 == 1 })
    }
}
