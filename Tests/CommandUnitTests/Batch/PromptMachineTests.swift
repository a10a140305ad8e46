import Testing

@testable import AccrecCommands

@Suite struct PromptMachineTests {
    @Test func takeIsRecordedPlayedRepeatedAndFinished() {
        var machine = PromptMachine(complete: [false, false])
        #expect(machine.press(.listen) == .nothing && machine.press(.again) == .nothing)
        #expect(machine.press(.go) == .record && machine.phase == .recording)
        #expect(machine.press(.skip) == .nothing)
        #expect(machine.press(.go) == .endRecording)
        machine.recorded(isComplete: true)
        #expect(machine.phase == .done && machine.index == 0)
        #expect(machine.press(.listen) == .listen)
        #expect(machine.press(.other) == .stopListening && machine.phase == .listening)
        machine.heard()
        #expect(machine.press(.again) == .show && machine.phase == .repeating)
        #expect(machine.press(.skip) == .show && machine.phase == .done && machine.index == 0)
        #expect(machine.press(.again) == .show && machine.press(.again) == .nothing)
        #expect(machine.press(.go) == .record && machine.press(.help) == .showKeys && machine.phase == .recording)
        machine.recorded(isComplete: false)
        #expect(machine.phase == .waiting)
        #expect(machine.press(.go) == .record)
        machine.recorded(isComplete: true)
        #expect(machine.press(.go) == .show && machine.index == 1 && machine.phase == .waiting)
    }

    @Test func goingOnAfterGoingBackSkipsCompleteTakes() {
        var machine = PromptMachine(complete: [true, true, false, true, false])
        #expect(machine.index == 2)
        #expect(machine.press(.back) == .show && machine.phase == .done)
        #expect(machine.press(.back) == .show && machine.index == 0)
        #expect(machine.press(.back) == .nothing)
        #expect(machine.press(.go) == .show && machine.index == 2)
        #expect(machine.press(.skip) == .leaveOut(2) && machine.index == 4)
        #expect(machine.press(.skip) == .leaveOut(4) && machine.phase == .over)
        #expect(machine.press(.go) == .nothing)
    }

    @Test func completeBatchIsOver() {
        #expect(PromptMachine(complete: [true, true]).phase == .over)
        #expect(PromptMachine(complete: []).phase == .over)
    }

    @Test func quittingWaitsForTheTake() {
        var machine = PromptMachine(complete: [false, false])
        _ = machine.press(.go)
        #expect(machine.leave() == .endRecording && machine.phase == .recording)
        machine.recorded(isComplete: true)
        #expect(machine.phase == .over)
        var listening = PromptMachine(complete: [false])
        _ = listening.press(.go)
        listening.recorded(isComplete: true)
        _ = listening.press(.listen)
        #expect(listening.press(.quit) == .stopListening)
        listening.heard()
        #expect(listening.phase == .over)
        var waiting = PromptMachine(complete: [false])
        #expect(waiting.press(.quit) == .nothing && waiting.phase == .over)
    }

    @Test("Keys ignore case and escape sequences, and only those that do something are known")
    func keysOfAPhase() {
        func keys(_ typed: String, in phase: PromptMachine.Phase) -> [PromptMachine.Key?] {
            KeyPress.presses(in: Array(typed.utf8)).map { phase.keys[$0] }
        }
        #expect(keys(" \r\nrSbLq", in: .waiting) == [.go, .go, .go, nil, .skip, .back, nil, .quit])
        #expect(keys(" \r\nrSbLQ", in: .done) == [.go, .go, .go, .again, .skip, .back, .listen, .quit])
        #expect(keys(" rsblqx?", in: .recording) == [.go, nil, nil, nil, nil, .quit, nil, .help])
        #expect(keys(" rsblq?", in: .repeating) == [.go, nil, .skip, .back, nil, .quit, .help])
        #expect(keys("\u{1B}[B", in: .waiting) == [nil] && keys("x ", in: .over) == [nil, nil])
        #expect(keys("\u{1B}[Bqx", in: .listening) == [.other, .quit, .other])
        for phase in [PromptMachine.Phase.waiting, .recording, .done, .repeating, .listening] {
            #expect(phase.keys[.end] == .quit)
        }
    }
}
