import Testing

@testable import ACCAudioRecorder
@testable import AccrecCommands

@Suite struct ReportProblemsTests {
    private let microphone = AudioSource.made("mic")
    private let monitor = AudioSource.made("room.monitor", kind: .monitor)

    private func problems(
        of source: AudioSource, inputs: [RecordedInput] = [], mutes: [RecordingMute] = [],
        levels: [ChannelLevel], findings: [SignalFinding] = []
    ) -> [String] {
        let report = RecordingReport(
            source: source, sampleRate: 48_000, channelCount: UInt32(levels.count), frameCount: 480_000, mutes: mutes,
            levels: levels, findings: findings, inputs: inputs)
        return ReportText(report: report, glyphs: .ascii).problems
    }

    private func level(clipped: Int = 0, peak: Float = 1) -> ChannelLevel {
        ChannelLevel(peak: peak, rms: 0, clippedCount: clipped, sampleCount: 480_000)
    }

    @Test("What was clipped is to be turned down where it can be: a microphone has a gain, what plays a volume")
    func clipping() {
        let text = { (what: String) in "CLIPPED   2 samples at full scale: lower the \(what)" }
        let clipped = [level(clipped: 2)]
        #expect(problems(of: microphone, levels: clipped) == [text("gain")])
        #expect(problems(of: monitor, levels: clipped) == [text("volume of what plays")])
        let inputs = [(microphone, 1), (monitor, 2)].map { RecordedInput(name: $0.name, source: $0, channels: [$1]) }
        let cases: [(levels: [Int], remedy: String)] = [
            ([2, 0], "gain"), ([0, 2], "volume of what plays"), ([1, 1], "gain, and the volume of what plays"),
        ]
        for (counts, remedy) in cases {
            let levels = counts.map { level(clipped: $0) }
            #expect(problems(of: microphone, inputs: inputs, levels: levels) == [text(remedy)])
        }
    }

    @Test("A mute is told once: the silence within it is no other problem, that of another time or source is")
    func muted() {
        let mute = RecordingMute(source: "mic", frames: 48_000..<288_000)
        let told = "MUTED     0:01.0 to 0:06.0"
        func silence(_ frames: Range<Int>) -> SignalFinding {
            SignalFinding(.silence, channels: [1], frames: frames, value: 5)
        }
        let levels = [level()]
        #expect(
            problems(of: microphone, mutes: [mute], levels: levels, findings: [silence(50_000..<290_000)]) == [told])
        #expect(
            problems(of: microphone, mutes: [mute], levels: levels, findings: [silence(50_000..<480_000)])
                == [told, "SILENT    channel 1 from 0:01.0 to 0:10.0"])
        let all = RecordingMute(source: "mic", frames: 0..<480_000)
        #expect(problems(of: microphone, mutes: [all], levels: [level(peak: 0)]) == ["MUTED     0:00.0 to 0:10.0"])
        #expect(problems(of: microphone, levels: [level(peak: 0)]).first?.hasPrefix("SILENT    every sample") == true)
        let inputs = [(microphone, 1), (monitor, 2)].map { RecordedInput(name: $0.name, source: $0, channels: [$1]) }
        let other = RecordingMute(source: "room.monitor", frames: 0..<480_000)
        #expect(
            problems(
                of: microphone, inputs: inputs, mutes: [other], levels: [level(), level()],
                findings: [silence(0..<480_000)]
            ).last == "SILENT    channel 1 from 0:00.0 to 0:10.0")
    }
}
