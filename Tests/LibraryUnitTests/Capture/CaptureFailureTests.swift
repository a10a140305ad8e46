import Testing

@testable import ACCAudioRecorder

@Suite struct CaptureFailureTests {
    @Test(
        "A source that cannot be opened says what ended its stream",
        arguments: [
            (CaptureEnd.killed, .streamKilled), (.stopped, .streamKilled), (.serverLost, .noServer),
            (.sourceRemoved, .noSuchSource), (.moved, .server), (.failed(CaptureFailure(.timedOut, "late")), .timedOut),
        ] as [(CaptureEnd, ACCAudioRecorderError.Failure.Reason)])
    func opening(end: CaptureEnd, reason: ACCAudioRecorderError.Failure.Reason) {
        #expect(CaptureFailure(opening: end).reason == reason)
    }
}
