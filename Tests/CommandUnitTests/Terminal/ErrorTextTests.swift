import SystemPackage
import TestSupport
import Testing

@testable import ACCAudioRecorder
@testable import AccrecCommands

/// The command's wording of the library's errors, with the options that help.
@Suite struct ErrorTextTests {
    private static func line(_ body: () throws -> Void) -> String? {
        do {
            try body()
            return nil
        } catch {
            return ErrorText.line(error)
        }
    }

    @Test func namesTheOptionThatHelps() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path + "/take.wav"
            let refused = { try OutputWriter.check(RecordingOutput(path: path)) }
            _ = try AtomicFile(path: path, replacesExisting: false).keep()
            #expect(
                Self.line(refused)
                    == "cannot create '\(path)': it already exists. Use another name, or --force to replace it.")
            #expect(
                Self.line { _ = try AtomicFile(path: path, replacesExisting: false) }
                    == "cannot create '\(path)': File exists. Use another name, or --force to replace it.")
            let deep = directory.path + "/no/take.wav"
            #expect(
                Self.line { try OutputWriter.check(RecordingOutput(path: deep)) }
                    == "cannot create '\(deep)': there is no directory '\(directory.path)/no'. "
                    + "Use --mkdir to create it, or another directory.")
        }
        #expect(
            ErrorText.line(ACCAudioRecorderError.cannotGoOn(with: "standard output", .canceled))
                == "cannot continue writing to standard output: its reader is too slow and its buffer is full. "
                + "Use a faster reader, or a larger --stdout-buffer, or another --stdout-overflow.")
        let layout = ChannelLayout(
            of: try #require(ChannelMap(names: "lfe,lfe,lfe,lfe,lfe,lfe")), in: .opus, encoding: .f32)
        #expect(
            Self.line { try RecordingOutput(path: "take.opus").check(layout) }
                == "cannot write lfe,lfe,lfe,lfe,lfe,lfe as opus: its layouts for that many channels are different, with a "
                + "low-frequency channel. Choose FLAC or WAV, or name the channels with --channel-map.")
    }

    @Test(
        arguments: [
            (.chooseContainer, "Choose another format; 'accrec formats' lists them."),
            (.repairFile(path: "x.wav"), "'accrec repair' may recover what is in 'x.wav'."),
            (.repairInPlace, "Use another name, or --in-place to repair the file itself."),
            (
                .allowSources(bluetooth: true, monitor: true),
                "Plug in a microphone, give --allow-bluetooth or --allow-monitor, or name one of"
            ),
            (.nameSource, "Do something."),
            (.nameInputs(["lark", "blue mic"]), "--inputs 'lark,blue mic' records each; or name one of"),
        ] as [(ACCAudioRecorderError.Failure.RecoveryOption, String)])
    func hasARemedyForEachOption(option: ACCAudioRecorderError.Failure.RecoveryOption, remedy: String) {
        let failure = ACCAudioRecorderError.Failure(
            .invalidFormat, "cannot do this", cause: "of that", remedy: "Do something.", recoveryOption: option)
        #expect(ErrorText.line(ACCAudioRecorderError.outputFailed(failure)) == "cannot do this: of that. \(remedy)")
    }

    @Test("What may be named instead is in one line where there must be one, and else has a line each, up to eight")
    func listsChoices() {
        func error(_ count: Int) -> ACCAudioRecorderError {
            .audioEngineStartFailed(
                .init(
                    .noMicrophone, "cannot choose a source", cause: "the server has only monitors",
                    remedy: "Plug in a microphone, allow those, or name one of",
                    choices: (1...count).map { .init(name: "m\($0)", details: "Monitor \($0)") },
                    recoveryOption: .allowSources(bluetooth: false, monitor: true)))
        }
        let first =
            "cannot choose a source: the server has only monitors. "
            + "Plug in a microphone, give --allow-monitor, or name one of:"
        #expect(ErrorText.line(error(2)) == "\(first) m1 (Monitor 1), m2 (Monitor 2).")
        #expect(ErrorText.lines(error(2)) == [first, "Monitor 1 (m1)", "Monitor 2 (m2)"])
        #expect(ErrorText.line(error(10)).hasSuffix(" m8 (Monitor 8), and 2 more."))
        let lines = ErrorText.lines(error(10))
        #expect(lines.count == 10 && lines.suffix(2) == ["Monitor 8 (m8)", "2 more: accrec devices"])
    }

    @Test("A name from outside cannot add a line of its own")
    func isHarmless() {
        let failure = ACCAudioRecorderError.Failure(
            .noSuchSource, "cannot record", cause: "no such source", remedy: "Name one of",
            choices: [.init(name: "a", details: "x\n\u{1B}[2Jy")])
        let text = StandardError.text(ofMessage: ErrorText.lines(ACCAudioRecorderError.audioEngineStartFailed(failure)))
        #expect(text.split(separator: "\n").count == 2 && !text.contains("\u{1B}"), "\(text)")
    }

    @Test func warningsNameOptionsToo() {
        #expect(
            ErrorText.line(.leftBehind("x.part"))
                == "'x.part' is a partial file of a recording that was killed. Rename it to keep it, or remove it. "
                + "'accrec repair' makes it playable if it does not open.")
        #expect(
            ErrorText.line(.channelsMisplaced("'x.flac'", map: .standard(channelCount: 3), container: .flac))
                == "'x.flac' keeps the channel order front-left,front-right,front-center, which flac cannot describe: "
                + "players will use the wrong speakers. Use CAF, or name the channels with --channel-map.")
        #expect(
            ErrorText.line(.diskFilling("'x.wav'", room: .seconds(150)))
                == "the disk of 'x.wav' has room for only 2 minutes more. Free some space, or record to another disk.")
    }
}
