import Testing

@testable import ACCAudioRecorder

/// Every event in every phase.
@Suite struct RecordingStateMachineTests {
    typealias Machine = RecordingStateMachine

    static let broken = ACCAudioRecorderError.captureFailed(
        .init(.noServer, "the recording broke off", cause: "gone", remedy: "Start it."))

    static let table: [(Machine.Phase, Machine.Event, Machine.Action, Machine.Phase)] = [
        (.idle, .start, .open, .recording),
        (.idle, .startFailed, .nothing, .idle),
        (.idle, .pause, .nothing, .idle),
        (.idle, .resume, .refuse(.noActiveRecording), .idle),
        (.idle, .resumeFailed, .nothing, .idle),
        (.idle, .finish, .nothing, .idle),
        (.idle, .discard, .nothing, .idle),
        (.idle, .limitReached, .nothing, .idle),
        (.idle, .brokeOff(broken), .nothing, .idle),
        (.idle, .interrupted, .nothing, .idle),
        (.idle, .recovered, .nothing, .idle),
        (.idle, .suspended, .nothing, .idle),
        (.idle, .flowing, .nothing, .idle),
        (.idle, .recoveryFailed, .nothing, .idle),

        (.recording, .start, .refuse(.recordingAlreadyInProgress), .recording),
        (.recording, .startFailed, .nothing, .idle),
        (.recording, .pause, .closeSource, .paused),
        (.recording, .resume, .nothing, .recording),
        (.recording, .resumeFailed, .nothing, .paused),
        (.recording, .finish, .end(.finished), .idle),
        (.recording, .discard, .end(.discarded), .idle),
        (.recording, .limitReached, .end(.limitReached), .idle),
        (.recording, .brokeOff(broken), .end(.failed(broken)), .idle),
        (.recording, .interrupted, .closeSource, .interrupted),
        (.recording, .recovered, .nothing, .recording),
        (.recording, .suspended, .nothing, .interrupted),
        (.recording, .flowing, .nothing, .recording),
        (.recording, .recoveryFailed, .nothing, .interrupted),

        (.paused, .start, .refuse(.recordingAlreadyInProgress), .paused),
        (.paused, .startFailed, .nothing, .idle),
        (.paused, .pause, .nothing, .paused),
        (.paused, .resume, .reopenSource, .recording),
        (.paused, .resumeFailed, .nothing, .paused),
        (.paused, .finish, .end(.finished), .idle),
        (.paused, .discard, .end(.discarded), .idle),
        (.paused, .limitReached, .end(.limitReached), .idle),
        (.paused, .brokeOff(broken), .end(.failed(broken)), .idle),
        (.paused, .interrupted, .nothing, .paused),
        (.paused, .recovered, .nothing, .paused),
        (.paused, .suspended, .nothing, .paused),
        (.paused, .flowing, .nothing, .paused),
        (.paused, .recoveryFailed, .nothing, .paused),

        (.interrupted, .start, .refuse(.recordingAlreadyInProgress), .interrupted),
        (.interrupted, .startFailed, .nothing, .idle),
        (.interrupted, .pause, .closeSource, .paused),
        (.interrupted, .resume, .nothing, .interrupted),
        (.interrupted, .resumeFailed, .nothing, .paused),
        (.interrupted, .finish, .end(.finished), .idle),
        (.interrupted, .discard, .end(.discarded), .idle),
        (.interrupted, .limitReached, .end(.limitReached), .idle),
        (.interrupted, .brokeOff(broken), .end(.failed(broken)), .idle),
        (.interrupted, .interrupted, .nothing, .interrupted),
        (.interrupted, .recovered, .reopenSource, .recording),
        (.interrupted, .suspended, .nothing, .interrupted),
        (.interrupted, .flowing, .nothing, .recording),
        (.interrupted, .recoveryFailed, .nothing, .interrupted),
    ]

    private func machine(in phase: Machine.Phase) -> Machine {
        var machine = Machine()
        if phase != .idle { _ = machine.handle(.start) }
        if phase == .paused { _ = machine.handle(.pause) }
        if phase == .interrupted { _ = machine.handle(.interrupted) }
        return machine
    }

    @Test("R-09, R-10, R-11, I-11", arguments: table)
    func decides(phase: Machine.Phase, event: Machine.Event, action: Machine.Action, next: Machine.Phase) {
        var machine = machine(in: phase)
        #expect(machine.phase == phase)
        #expect(machine.handle(event) == action)
        #expect(machine.phase == next)
    }

    @Test func theTableIsWhole() {
        #expect(Set(Self.table.map { "\($0.0) \($0.1)" }).count == 4 * 14)
    }
}
