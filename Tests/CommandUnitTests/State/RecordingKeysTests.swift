import ACCAudioRecorder
import Testing

@testable import AccrecCommands

@Suite struct RecordingKeysTests {
    private func actions(of typed: String, in status: RecordingStatus) -> [KeyAction?] {
        KeyPress.presses(in: typed.utf8).map { status.keys[$0] }
    }

    @Test func keysOfATake() {
        let recording = RecordingStatus.made(channels: 1)
        let all: [KeyAction] = [.pauseOrResume, .mark, .split, .ask, .resetPeaks, .finish, .help]
        #expect(actions(of: " msdrq?", in: recording) == all)
        #expect(actions(of: "x\ny\u{1B}[D", in: recording) == [nil, nil, nil, nil])
        let asked = recording.with { $0.prompt = .discardQuestion }
        #expect(actions(of: "ycq\n", in: asked) == [.discard, .keep, .keep, .keep] && asked.keys[.end] == .keep)
    }

    @Test("Where takes follow one another, the key that begins one ends it, and p pauses it")
    func keysOfSeveralTakes() {
        var status = RecordingStatus()
        status.recording = RecordingProgress(outputs: [.init(.descriptor(1), container: .raw)], hasTakes: true)
        status.recording.phase = .ready(keeping: 1, hasSource: true)
        #expect(actions(of: " \npq", in: status) == [.start, .start, nil, .finish])
        status.recording.phase = .recording
        #expect(actions(of: " \npq", in: status) == [.finishTake, .finishTake, .pauseOrResume, .finish])
    }

    @Test(
        "Before a recording there is nothing to mark, and one that waits for its source can be started, for the refusal"
    )
    func keysBeforeATake() {
        let scheduled = RecordingStatus.made(channels: 1, phase: .scheduled(seconds: 9, time: "18:00:00"))
        #expect(actions(of: " \nmsdrq?", in: scheduled) == [nil, nil, nil, nil, nil, .resetPeaks, .finish, .help])
        for hasSource in [false, true] {
            let ready = RecordingStatus.made(channels: 1, phase: .ready(keeping: 1, hasSource: hasSource))
            #expect(actions(of: " \nmsd", in: ready) == [.start, .start, nil, nil, nil])
        }
        let metering = RecordingStatus.made(channels: 1, phase: .metering)
        #expect(actions(of: " msdrq", in: metering) == [nil, nil, nil, nil, .resetPeaks, .finish])
    }

    @Test(
        "Arrow, Home and End keys are known as xterm, rxvt and the Linux console send them",
        arguments: [
            ("\u{1B}[C", [KeyAction.go(.here(.seconds(5)))]), ("\u{1B}OC", [.go(.here(.seconds(5)))]),
            ("\u{1B}[D", [.go(.here(.seconds(-5)))]),
            ("\u{1B}[A", [.go(.here(.seconds(60)))]), ("\u{1B}[B", [.go(.here(.seconds(-60)))]),
            ("><", [.go(.here(.seconds(60))), .go(.here(.seconds(-60)))]),
            ("\u{1B}[H", [.go(.start(.seconds(0)))]), ("\u{1B}[1~", [.go(.start(.seconds(0)))]),
            ("\u{1B}[7~", [.go(.start(.seconds(0)))]),
            ("\u{1B}[F", [.go(.end(.seconds(5)))]), ("\u{1B}[4~", [.go(.end(.seconds(5)))]),
            ("\u{1B}[8~", [.go(.end(.seconds(5)))]),
            (
                "\u{1B}[C\u{1B}[C pq",
                [.go(.here(.seconds(5))), .go(.here(.seconds(5))), .pauseOrResume, .pauseOrResume, .finish]
            ),
            ("\u{1B}[1;5Cmsd", [nil, nil, nil, nil]),
        ])
    func keysOfAPlayback(typed: String, expected: [KeyAction?]) {
        var status = RecordingStatus()
        status.recording = RecordingProgress(isPlayback: true)
        for phase in [
            RecordingProgress.Phase.playing, .playbackPaused, .waiting(InterruptionText("the sink is suspended")),
        ] {
            status.recording.phase = phase
            #expect(actions(of: typed, in: status) == expected)
        }
    }

    @Test("Keys go from marker to marker where a file has some")
    func keysOfMarkers() {
        var status = RecordingStatus()
        status.recording = RecordingProgress(isPlayback: true)
        #expect(actions(of: "nb", in: status) == [nil, nil])
        status.recording.hasMarkers = true
        let (on, back) = (KeyAction.go(.marker(1)), KeyAction.go(.marker(-1)))
        #expect(actions(of: "n\u{1B}[6~b\u{1B}[5~", in: status) == [on, on, back, back])
    }
}
