import ACCAudioRecorder
import Testing

@testable import AccrecCommands

/// What is asked before a recording is discarded.
@Suite struct DiscardTextTests {
    private static func report(_ path: String, seconds: Int, from first: Int = 0) throws -> OutputReport {
        OutputReport(
            output: try RecordingOutput(path: path), sampleRate: 48_000, channelMap: .standard(channelCount: 1),
            firstFrame: first * 48_000, frameCount: seconds * 48_000, byteCount: 1)
    }

    private static func words(_ text: DiscardText, _ elapsed: Double) -> String {
        ([text.question(after: elapsed)] + text.answers(after: elapsed).helpTexts).joined(separator: "  ")
    }

    @Test("The question says how much would go, and offers the current file alone")
    func severalFiles() throws {
        var text = DiscardText()
        #expect(Self.words(text, 5) == "Discard this recording?  y discard  any other key keep" && !text.offersCurrent)
        for hour in 1...6 {
            text.receive(.fileOpened(path: "\(hour + 1).wav", after: try Self.report("\(hour).wav", seconds: 3_600)))
        }
        #expect(
            Self.words(text, 6 * 3_600 + 2_592)
                == "Discard 7 files, 6:43:12?  y all  c current one, 43:12  any other key keep")
        // --keep-last has removed two.
        for name in ["1.wav", "2.wav"] { text.receive(.fileRemoved(path: name, bound: .count)) }
        #expect(text.question(after: 6 * 3_600 + 2_592) == "Discard 5 files, 4:43:12?")
        #expect(text.line(after: 6 * 3_600 + 2_592).hasPrefix("discard 5 files, 4:43:12? y: all, c: current one"))
    }

    @Test("Several outputs have as many files, in the same time, and between two sounds there is no current one")
    func severalOutputs() throws {
        var text = DiscardText(outputCount: 2)
        for name in ["a.wav", "a.flac"] {
            text.receive(.fileOpened(path: "b", after: try Self.report(name, seconds: 60)))
        }
        #expect(text.question(after: 90) == "Discard 4 files, 1:30?" && text.offersCurrent)
        for name in ["b.wav", "b.flac"] { text.receive(.fileClosed(try Self.report(name, seconds: 30))) }
        #expect(Self.words(text, 90) == "Discard 4 files, 1:30?  y all  any other key keep")
        text.receive(.fileOpened(path: "c.wav"))
        #expect(text.question(after: 100) == "Discard 6 files, 1:40?" && text.offersCurrent)
    }

    @Test("The report says what was discarded, and what stays")
    func result() throws {
        func text(_ outputs: [OutputReport]) -> String {
            DiscardText.result(
                RecordingReport(
                    ending: .discarded, source: .made("source"), sampleRate: 48_000, channelCount: 1,
                    frameCount: 150 * 48_000, outputs: outputs))
        }
        #expect(text([]) == "discarded 2:30.000")
        let kept = [try Self.report("1.wav", seconds: 60), try Self.report("2.wav", seconds: 60, from: 60)]
        #expect(text(kept) == "discarded the current file, 0:30.000; kept 2 files")
    }
}
