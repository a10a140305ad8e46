import Foundation
import Testing

@testable import ACCAudioRecorder

@Suite struct OutputCheckTests {
    private func reason(_ output: RecordingOutput, channels: Int = 2) -> ACCAudioRecorderError.Failure.Reason? {
        do throws(ACCAudioRecorderError) {
            try OutputWriter.check(
                output, form: FrameForm(sampleRate: 48_000, channelMap: .standard(channelCount: channels)))
            return nil
        } catch {
            return error.failure?.reason
        }
    }

    @Test(arguments: [("take.wav", Container.wav), ("a.b/TAKE.FLAC", .flac), ("x.pcm", .raw), ("./.wav", .wav)])
    func theExtensionNamesTheContainer(path: String, container: Container) throws {
        #expect(try RecordingOutput(path: path).container == container)
    }

    @Test(arguments: ["take", "take.xyz", "a.wav/take", "take.", ""])
    func refusesAnUnknownExtension(path: String) {
        let error = #expect(throws: ACCAudioRecorderError.self) { try RecordingOutput(path: path) }
        #expect(error?.failure?.reason == .invalidFormat)
    }

    @Test func refusesWhatTheContainerDoesNotHave() throws {
        #expect(reason(try RecordingOutput(path: "/tmp/nosuch.flac", encoding: .f32)) == .invalidFormat)
        #expect(reason(try RecordingOutput(path: "/tmp/nosuch.flac"), channels: 9) == .invalidFormat)
        #expect(reason(try RecordingOutput(path: "/tmp/nosuch.flac", encoding: .s24), channels: 8) == nil)
        #expect(reason(try RecordingOutput(path: "/tmp/nosuch.wav", encoding: .f32), channels: 32) == nil)
        #expect(reason(RecordingOutput(.descriptor(1), container: .wav)) == .invalidFormat)
    }

    @Test func refusesTwoOutputsInOnePlace() async throws {
        let output = try RecordingOutput(path: "/tmp/accrec-nosuch.wav")
        let error = await #expect(throws: ACCAudioRecorderError.self) {
            try await ACCAudioRecorder().startRecording(to: [output, output])
        }
        #expect(error?.failure?.reason == .invalidFormat)
        #expect(!FileManager.default.fileExists(atPath: "/tmp/accrec-nosuch.wav"))
    }

    @Test("Directories that are missing are no obstacle where they are to be made, but what cannot be made is")
    func missingDirectories() throws {
        #expect(reason(try RecordingOutput(path: "/tmp/accrec-nosuch/a/take.wav", makesDirectories: true)) == nil)
        #expect(reason(try RecordingOutput(path: "/dev/null/a/take.wav", makesDirectories: true)) == .cannotCreate)
        let pattern = RecordingOutput(.pattern(try FilePattern("/tmp/accrec-nosuch/%Y.wav")), container: .wav)
        #expect(reason(pattern) == .cannotCreate)
    }

    @Test func refusesPathsThatCannotBecomeAFile() throws {
        #expect(reason(try RecordingOutput(path: "/nosuch-directory/take.wav")) == .cannotCreate)
        #expect(reason(try RecordingOutput(path: "/dev/null/take.wav")) == .cannotCreate)
        #expect(reason(RecordingOutput(.file(path: "/"), container: .wav, replacesExisting: true)) == .cannotCreate)
        #expect(reason(RecordingOutput(.file(path: "/dev/null"), container: .raw)) == .fileExists)
    }
}
