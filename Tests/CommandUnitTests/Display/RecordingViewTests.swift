import ACCAudioRecorder
import Foundation
import TestSupport
import Testing

@testable import AccrecCommands

@Suite struct RecordingViewTests {
    private let source = AudioSource.made("mic", description: "Mic")
    private let format = RecordingFormat(sampleRate: 44_100, channelMap: .standard(channelCount: 1))

    /// A view that draws nothing, since its meter is not begun.
    private func view() throws -> RecordingView {
        let outputs = [try RecordingOutput(path: "/tmp/take.wav")]
        return RecordingView(
            of: RecordingModel(RecordingProgress(outputs: outputs, longestWait: .seconds(60))), mode: .meter,
            style: .utf8,
            outputs: outputs)
    }

    private func levels(peak: Float, at time: Double) -> RecordingLevels {
        RecordingLevels(channels: [ChannelLevel(peak: peak, rms: peak)], timestamp: time)
    }

    /// The displayed peaks, in whole dBFS.
    private func peaks(of view: RecordingView) -> [Int] {
        view.status.channels.map { Int($0.peak.rounded()) }
    }

    @Test("Several sources are shown by their names, as far as the terminal can")
    func namesOfSeveralSources() throws {
        var several = AudioSource(
            name: "mic+x", sampleSpec: SampleSpec(format: .s16LE, sampleRate: 48_000, channelCount: 3))
        several.channelNames = ["mic", "x\u{1B}[2J L", "x R"]
        var configuration = ACCAudioRecorder.Configuration()
        configuration.format.channelCount = .native
        let view = try view()
        view.setFormat(of: several, configuration)
        #expect(view.status.labels == ["mic", "x?[2J L", "x R"])
        several.channelNames = []
        view.setFormat(of: several, configuration)
        #expect(view.status.labels == ["L", "R", "FC"])
    }

    @Test("The loudness appears in place of the keys, which would cover it")
    func loudnessClosesTheKeys() throws {
        let view = try view()
        view.toggleHelp()
        view.toggleLoudness()
        #expect(view.status.prompt == .details && view.status.showsLoudness)
        view.toggleLoudness()
        #expect(view.status.prompt == .details && !view.status.showsLoudness)
    }

    @Test("While a recording is paused or listens, the levels are those of the recorder that measures its source")
    func unrecordedLevelsAreShown() async throws {
        let (view, recorder, earlier) = (try view(), ACCAudioRecorder(), ACCAudioRecorder())
        view.take(.started(hostTime: 1))
        await view.followUnrecorded(recorder)
        let (id, other) = (ObjectIdentifier(recorder), ObjectIdentifier(earlier))
        for (pause, end) in [
            (RecordingEvent.paused(frame: 1), RecordingEvent.resumed(source)),
            (.soundEnded(frame: 1), .soundBegan(frame: 1)),
        ] {
            view.receive(levels(peak: 1, at: 1))
            #expect(peaks(of: view) == [0])
            view.take(pause)
            view.receive(levels(peak: 1, at: 1.1))
            #expect(peaks(of: view) == [-120], "\(pause)")
            view.receive(unrecorded: levels(peak: 1, at: 1), by: other)
            #expect(peaks(of: view) == [-120], "\(pause)")
            view.receive(unrecorded: levels(peak: 0.1, at: 1), by: id)
            #expect(peaks(of: view) == [-20], "\(pause)")
            view.take(end)
            view.receive(unrecorded: levels(peak: 0.5, at: 1.1), by: id)
            #expect(peaks(of: view) == [-120], "\(pause)")
        }
    }

    @Test("The levels of a source that goes during a pause are emptied, until it is back")
    func aSourceGoesInAPause() async throws {
        let (view, recorder) = (try view(), ACCAudioRecorder())
        let id = ObjectIdentifier(recorder)
        view.take(.started(hostTime: 1))
        view.take(.paused(frame: 1))
        await view.followUnrecorded(recorder)
        view.receive(unrecorded: .opened(source, format: format), of: recorder)
        view.receive(unrecorded: levels(peak: 0.1, at: 1), by: id)
        view.receive(unrecorded: .interrupted(.deviceLost), of: recorder)
        // One that was under way.
        view.receive(unrecorded: levels(peak: 0.1, at: 1.1), by: id)
        #expect(peaks(of: view) == [-120] && view.status.sourceInterruption?.forms.last == "device unplugged")
        view.receive(unrecorded: .resumed(source), of: recorder)
        view.receive(unrecorded: levels(peak: 0.1, at: 2), by: id)
        #expect(peaks(of: view) == [-20] && view.status.sourceInterruption == nil)
        view.clearUnrecordedLevels(of: recorder)
        #expect(peaks(of: view) == [-120])
        view.receive(unrecorded: .interrupted(.deviceLost), of: recorder)
        view.take(.resumed(source))
        #expect(view.status.sourceInterruption == nil)
    }

    @Test("The file's name is shown before the recording, unless it depends on its start")
    func theNameIsShownBeforeTheRecording() throws {
        let outputs = [
            try RecordingOutput(path: "/tmp/take.wav"), try RecordingOutput(path: "/tmp/take.flac"),
            RecordingOutput(.pattern(try FilePattern("%H.wav")), container: .wav),
        ]
        func name(_ outputs: [RecordingOutput]) -> String? {
            RecordingView(
                of: RecordingModel(RecordingProgress(outputs: outputs)), mode: .meter, style: .utf8, outputs: outputs,
                prefix: "1/2 "
            ).status.file
        }
        #expect(name([outputs[0]]) == "1/2 take.wav")
        #expect(name(Array(outputs[..<2])) == "1/2 take.wav +1")
        #expect(name([outputs[2]]) == nil && name([]) == nil)
    }

    @Test("The source is named before it is open, without levels, and never in place of an open one")
    func theSourceIsNamedBeforeItIsOpen() throws {
        let view = try view()
        let configuration = ACCAudioRecorder.Configuration()
        view.setFormat(of: source, configuration, isOpen: false)
        #expect(view.status.source == "Mic" && view.status.shownChannels.isEmpty)
        view.setFormat(of: AudioSource.made("other", description: "Other"), configuration)
        #expect(view.status.source == "Other" && view.status.shownChannels.count == 1)
        view.setFormat(of: source, configuration, isOpen: false)
        #expect(view.status.source == "Other")
    }

    @Test("A source is shown as muted until it is no longer")
    func showsMuted() throws {
        let view = try view()
        view.take(.started(hostTime: 1))
        #expect(!view.status.isMuted)
        view.take(.muted(source))
        #expect(view.status.isMuted)
        view.take(.unmuted(source))
        #expect(!view.status.isMuted)
    }

    @Test("A muted source is marked before the recording as well, and not while it is gone")
    func showsMutedWhileThereIsASource() async throws {
        let (view, recorder) = (try view(), ACCAudioRecorder())
        await view.followUnrecorded(recorder)
        view.receive(unrecorded: .muted(source), of: recorder)
        #expect(!view.status.isMuted)
        view.model.update { $0.phase = .ready(keeping: 5, hasSource: true) }
        view.receive(unrecorded: .muted(source), of: recorder)
        #expect(view.status.isMuted)
        view.receive(unrecorded: .interrupted(.deviceLost), of: recorder)
        #expect(!view.status.isMuted)
        view.model.update { $0.begin(.armed) }
        view.take(.muted(source))
        #expect(view.status.isMuted)
        view.take(.interrupted(.deviceLost))
        #expect(!view.status.isMuted)
    }
}

extension RecordingView {
    /// Takes an event as a running recording does.
    fileprivate func take(_ event: RecordingEvent) {
        model.receive(event)
        receive(event)
    }
}
