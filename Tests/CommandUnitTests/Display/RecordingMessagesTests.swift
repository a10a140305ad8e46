import Testing

@testable import ACCAudioRecorder
@testable import AccrecCommands

@Suite struct RecordingMessagesTests {
    private let microphone = AudioSource.made("mic", description: "Mic")
    private let format = RecordingFormat(sampleRate: 44_100, channelMap: .standard(channelCount: 1))
    private let other = AudioSource.made("other", description: "Other")

    private func messages(about events: [RecordingEvent], reportsRoutine: Bool = true) -> [String] {
        var messages = RecordingMessages(reportsRoutine: reportsRoutine)
        return events.compactMap { messages.message(about: $0) }
    }

    private func gap(_ cause: RecordingGap.Cause) -> RecordingGap {
        RecordingGap(position: 44_100, framesLost: 240_000, sampleRate: 48_000, recordedRate: 44_100, cause: cause)
    }

    @Test func aQuietRecordingReportsProblemsOnly() {
        let events: [RecordingEvent] = [.fileRemoved(path: "a.wav", bound: .count), .interrupted(.call)]
        #expect(messages(about: events).count == 2)
        #expect(messages(about: events, reportsRoutine: false) == ["interrupted: call in another program"])
    }

    @Test("Of losses that follow one another, the message says between which places they lie")
    func spans() {
        let gap = RecordingGap(
            position: 480_000, offset: .seconds(10), span: .milliseconds(7_500), framesLost: 4_800,
            length: .milliseconds(100),
            cause: .dropped)
        #expect(
            messages(about: [.gap(gap)])
                == ["100 ms missing between 0:02.500 and 0:10.000: the server dropped audio (4800 frames)"])
    }

    @Test("The loss of one of several inputs is told without its marker, a mark elsewhere is told")
    func lossOfAnInput() {
        let gap = RecordingGap(position: 480, framesLost: 48_000, sampleRate: 48_000, cause: .dropped, input: "m2")
        let marker = { RecordingEvent.marker(RecordingMarker(number: 1, frame: $0, offset: .seconds(2), label: $1)) }
        let told = messages(about: [.gap(gap), marker(480, "m2 missing for 1.000 s before"), marker(96_000, "here")])
        #expect(told.count == 2 && told.last == "marker 'here' at 0:02.000", "\(told)")
    }

    @Test("A slow output has a message every ten seconds, however often it drops audio")
    func droppingAgainAndAgain() {
        let output = RecordingOutput(.file(path: "a.wav"), container: .wav)
        let events = (0..<1_000).flatMap { index -> [RecordingEvent] in
            let gap = RecordingGap(
                position: 480 * index, framesLost: 48, sampleRate: 48_000, cause: .outputBehind)
            return [.warning(.outputDropping("'a.wav'", limit: .seconds(16) / 3)), .outputGap(output, gap: gap)]
        }
        let told = messages(about: events)
        #expect(told.count == 3, "\(told)")
        #expect(told[0].hasSuffix("its buffer of 5.33 s is full") && told[1].contains("missing in 'a.wav'"), "\(told)")
    }

    @Test("An unplugged device that returns takes two lines")
    func unplugAndReturn() {
        let events: [RecordingEvent] = [
            .opened(microphone, format: format), .started(hostTime: 1), .deviceLost(microphone),
            .interrupted(.deviceLost),
            .deviceReturned(microphone), .resumed(microphone), .gap(gap(.interruption(.deviceLost))),
        ]
        #expect(
            messages(about: events) == [
                "'Mic' was unplugged",
                "recording again; 5.0 s missing at 0:01.000: device unplugged (240000 frames)",
            ])
    }

    @Test("A device that returns before the first frame, after which nothing is missing, is reported as well")
    func returnBeforeTheFirstFrame() {
        let events: [RecordingEvent] = [
            .opened(microphone, format: format), .deviceLost(microphone), .interrupted(.deviceLost),
            .deviceReturned(microphone),
            .resumed(microphone),
        ]
        #expect(messages(about: events).last == "recording from 'Mic' (\(microphone.sampleSpec))")
    }

    @Test func anotherSourceIsNamedOnce() {
        let events: [RecordingEvent] = [
            .opened(microphone, format: format), .started(hostTime: 1), .deviceLost(microphone),
            .interrupted(.deviceLost),
            .fellBack(from: microphone, to: other), .resumed(other), .gap(gap(.interruption(.deviceLost))),
        ]
        #expect(
            messages(about: events) == [
                "'Mic' was unplugged", "recording from 'Other' (\(other.sampleSpec))",
                "5.0 s missing at 0:01.000: device unplugged (240000 frames)",
            ])
    }

    @Test("Of a muted source, that it is silent is not told as well; of another channel it is")
    func muted() {
        func silence(_ channel: Int) -> RecordingEvent {
            .signal(SignalFinding(.silence, channels: [channel], frames: 0..<132_300, isOngoing: true, value: 3))
        }
        let told = "channel 1 has been silent since 0:00.0"
        let events: [RecordingEvent] = [
            .opened(microphone, format: format), .started(hostTime: 1), .muted(microphone), silence(1),
        ]
        #expect(messages(about: events).isEmpty)
        #expect(messages(about: events + [.unmuted(microphone), silence(1)]).last == told)

        let inputs = [(microphone, 1), (other, 2)].map { RecordedInput(name: $0.name, source: $0, channels: [$1]) }
        let both = RecordingFormat(sampleRate: 44_100, channelMap: .standard(channelCount: 2), inputs: inputs)
        let several: [RecordingEvent] = [
            .opened(microphone, format: both), .started(hostTime: 1), .muted(other), silence(2), silence(1),
        ]
        #expect(messages(about: several) == [told])
    }

    @Test("The gap of a suspension comes before the recording is resumed")
    func suspension() {
        let events: [RecordingEvent] = [
            .opened(microphone, format: format), .started(hostTime: 1), .interrupted(.suspended),
            .gap(gap(.interruption(.suspended))), .resumed(microphone),
        ]
        #expect(
            messages(about: events) == [
                "interrupted: source suspended",
                "recording again; 5.0 s missing at 0:01.000: source suspended (240000 frames)",
            ])
    }

    @Test("A suspension so short that nothing is missing ends with a message as well")
    func suspensionWithoutAGap() {
        let events: [RecordingEvent] = [
            .opened(microphone, format: format), .started(hostTime: 1), .interrupted(.suspended), .resumed(microphone),
        ]
        #expect(
            messages(about: events) == ["interrupted: source suspended", "recording again; nothing is missing"])
    }

    @Test("D-08: another port of the source is reported, and whether something is plugged in there")
    func reportsAPort() {
        let heard = AudioSource.made("card", description: "Card", port: "Headset Microphone")
        let deaf = AudioSource.made("card", description: "Card", port: "Line In", isAvailable: false)
        #expect(
            messages(about: [.portChanged(heard), .portChanged(deaf)]) == [
                "'Card' switched to 'Headset Microphone'", "'Card' switched to 'Line In', where nothing is plugged in",
            ])
    }
}
