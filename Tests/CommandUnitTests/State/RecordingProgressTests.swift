import ACCAudioRecorder
import Synchronization
import TestSupport
import Testing

@testable import AccrecCommands

@Suite struct RecordingProgressTests {
    private let outputs: [RecordingOutput]

    init() throws {
        outputs = [try RecordingOutput(path: "/tmp/a.wav"), try RecordingOutput(path: "/tmp/b.wav")]
    }

    private static func report(_ path: String) throws -> OutputReport {
        OutputReport(
            output: try RecordingOutput(path: path), sampleRate: 1, channelMap: .standard(channelCount: 1),
            frameCount: 1, byteCount: 1)
    }

    @Test("A recording has the phase of its events, and a new stretch of levels with each pause and its end")
    func followsEvents() throws {
        let source = AudioSource.made("mic", description: "Mic")
        var state = RecordingProgress(outputs: outputs)
        var seen: [RecordingProgress.Phase] = []
        var stretches: [Int] = []
        for event: RecordingEvent in [
            .soundEnded(frame: 0), .started(hostTime: 1), .soundBegan(frame: 1), .soundEnded(frame: 2),
            .soundBegan(frame: 3), .paused(frame: 4), .resumed(source),
        ] {
            state.receive(event)
            seen.append(state.phase)
            stretches.append(state.stretch)
        }
        #expect(seen == [.armed, .recording, .recording, .silent, .recording, .paused, .recording])
        #expect(stretches == [0, 0, 0, 1, 2, 3, 4])
    }

    @Test("A recording of several sources is aligning until its first frame, and again after a pause")
    func aligns() {
        var state = RecordingProgress(outputs: outputs, alignsSources: true)
        #expect(state.phase == .aligning && state.hasRecording && !state.isAtWork)
        for event: RecordingEvent in [.started(hostTime: 1), .paused(frame: 4)] { state.receive(event) }
        #expect(state.phase == .paused)
        state.receive(.resumed(.made("mic", description: "Mic")))
        #expect(state.phase == .aligning)
        state.beginWork()
        #expect(state.phase == .recording)
    }

    @Test("An input is away from its loss on until it is back, or was not there from the beginning")
    func inputsThatAreAway() throws {
        let (mic, line) = (AudioSource.made("mic", description: "Mic"), AudioSource.made("line", description: "Line"))
        let format = RecordingFormat(
            sampleRate: 48_000, channelMap: .standard(channelCount: 2),
            inputs: [
                RecordedInput(name: "a", source: mic, channels: [1]),
                RecordedInput(name: "b", source: line, channels: [2]),
            ])
        let gap = RecordingGap(
            position: 1, offset: .seconds(1), framesLost: 1, length: .seconds(1), cause: .interruption(.deviceLost),
            input: "b")
        var state = RecordingProgress(outputs: outputs, alignsSources: true)
        var seen: [[String]] = []
        for event: RecordingEvent in [
            .opened(mic, format: format), .warning(.inputAbsent("b")), .deviceLost(mic), .gap(gap),
            .deviceReturned(mic),
        ] {
            state.receive(event)
            seen.append(state.awayInputs)
        }
        #expect(seen == [[], ["b"], ["b", "a"], ["a"], []])
    }

    @Test("The file of a recording is the first one that is opened, then those that follow it")
    func followsTheFirstFile() throws {
        var state = RecordingProgress(outputs: outputs)
        state.receive(.fileOpened(path: "/tmp/a.wav"))
        state.receive(.fileOpened(path: "/tmp/b.wav"))
        #expect(state.file == RecordingProgress.File(path: "/tmp/a.wav"))
        state.receive(.fileClosed(try Self.report("/tmp/b.wav")))
        #expect(state.file?.isComplete == false)
        state.receive(.fileOpened(path: "/tmp/a-002.wav", after: try Self.report("/tmp/a.wav")))
        #expect(state.file?.path == "/tmp/a-002.wav")
        state.receive(.fileClosed(try Self.report("/tmp/a-002.wav")))
        #expect(state.file == RecordingProgress.File(path: "/tmp/a-002.wav", isComplete: true))
        state.receive(.fileOpened(path: "/tmp/a-003.wav"))
        #expect(state.file == RecordingProgress.File(path: "/tmp/a-003.wav"))
    }

    @Test("Who follows a recording is called after each change of its state, and can read it")
    func tellsOfChanges() {
        let model = RecordingModel(RecordingProgress(outputs: outputs))
        let sources = Mutex<[String]>([])
        model.onChange { [unowned model] in sources.withLock { $0.append(model.state.source) } }
        for source in ["mic", "mic", "line"] { model.update { $0.source = source } }
        #expect(sources.withLock(\.self) == ["mic", "line"])
    }
}
