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
                .allowSources(bluetooth: false, monitor: true, names: "a, b"),
                "Plug in a microphone, give --allow-monitor, or name one of: a, b."
            ),
            (
                .allowSources(bluetooth: true, monitor: true, names: "a"),
                "Plug in a microphone, give --allow-bluetooth or --allow-monitor, or name one of: a."
            ),
        ] as [(ACCAudioRecorderError.Failure.RecoveryOption, String)])
    func hasARemedyForEachOption(option: ACCAudioRecorderError.Failure.RecoveryOption, remedy: String) {
        let failure = ACCAudioRecorderError.Failure(
            .invalidFormat, "cannot do this", cause: "of that", remedy: "Do something.", recoveryOption: option)
        #expect(ErrorText.line(ACCAudioRecorderError.outputFailed(failure)) == "cannot do this: of that. \(remedy)")
    }

    @Test func warningsNameOptionsToo() {
        #expect(
            ErrorText.line(.leftBehind("x.part"))
                == "'x.part' is a partial file of a recording that was killed. Rename it to keep it, or remove it. "
                + "'accrec repair' makes it playable if it does not open.")
        #expect(
            ErrorText.line(.channelsMisplaced("'x.flac'", .standard(channelCount: 3), .flac))
                == "'x.flac' keeps the channel order front-left,front-right,front-center, which flac cannot describe: "
                + "players will use the wrong speakers. Use CAF, or name the channels with --channel-map.")
        #expect(
            ErrorText.line(.diskFilling("'x.wav'", seconds: 150))
                == "the disk of 'x.wav' has room for only 2 minutes more. Free some space, or record to another disk.")
    }
}
