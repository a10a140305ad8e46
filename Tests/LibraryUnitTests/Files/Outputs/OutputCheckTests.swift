import Foundation
import TestSupport
import Testing

@testable import ACCAudioRecorder

@Suite struct OutputCheckTests {
    private func failure(
        _ output: RecordingOutput, rate: Int = 48_000, channels: Int = 2
    ) -> ACCAudioRecorderError.Failure? {
        var output = output
        output.format.sampleRate = .given(Double(rate))
        output.format.channelCount = .given(UInt32(channels))
        do throws(ACCAudioRecorderError) {
            try OutputWriter.check(output)
            return nil
        } catch {
            return error.failure
        }
    }

    private func reason(_ output: RecordingOutput, channels: Int = 2) -> ACCAudioRecorderError.Failure.Reason? {
        failure(output, channels: channels)?.reason
    }

    private func remedy(
        _ container: Container, _ compression: Compression? = nil, rate: Int = 48_000, channels: Int = 2
    ) -> String? {
        let path = "/tmp/nosuch.\(container.fileExtensions[0])"
        let output = RecordingOutput(.file(path: path), container: container, compression: compression)
        return failure(output, rate: rate, channels: channels)?.remedy
    }

    @Test(
        arguments: [
            ("take.wav", Container.wav), ("a.b/TAKE.FLAC", .flac), ("x.pcm", .raw), ("./.wav", .wav),
            ("x.ogg", .vorbis), ("x.Opus", .opus), ("x.mp3", .mp3), ("x.aif", .aiff), ("x.rf64", .rf64),
        ])
    func theExtensionNamesTheContainer(path: String, container: Container) throws {
        #expect(try RecordingOutput(path: path).container == container)
    }

    @Test(arguments: ["take", "take.xyz", "a.wav/take", "take.", ""])
    func rejectsUnknownExtensions(path: String) {
        let error = #expect(throws: ACCAudioRecorderError.self) { try RecordingOutput(path: path) }
        #expect(error?.failure?.reason == .invalidFormat)
    }

    @Test func rejectsFormatsThatTheContainerLacks() throws {
        #expect(reason(try RecordingOutput(path: "/tmp/nosuch.flac", encoding: .f32)) == .invalidFormat)
        #expect(reason(try RecordingOutput(path: "/tmp/nosuch.flac"), channels: 9) == .invalidFormat)
        #expect(reason(try RecordingOutput(path: "/tmp/nosuch.flac", encoding: .s24), channels: 8) == nil)
        #expect(reason(try RecordingOutput(path: "/tmp/nosuch.wav", encoding: .f32), channels: 32) == nil)
        #expect(reason(RecordingOutput(.descriptor(1), container: .mp3)) == .invalidFormat)
    }

    @Test func rejectsTwoOutputsToOnePath() async throws {
        let output = try RecordingOutput(path: "/tmp/accrec-nosuch.wav")
        let error = await #expect(throws: ACCAudioRecorderError.self) {
            try await ACCAudioRecorder().startRecording(to: [output, output])
        }
        #expect(error?.failure?.reason == .invalidFormat)
        #expect(!FileManager.default.fileExists(atPath: "/tmp/accrec-nosuch.wav"))
    }

    @Test("Missing directories are accepted if they can be created")
    func missingDirectories() throws {
        #expect(reason(try RecordingOutput(path: "/tmp/accrec-nosuch/a/take.wav", makesDirectories: true)) == nil)
        #expect(reason(try RecordingOutput(path: "/dev/null/a/take.wav", makesDirectories: true)) == .cannotCreate)
        let pattern = RecordingOutput(.pattern(try FilePattern("/tmp/accrec-nosuch/%Y.wav")), container: .wav)
        #expect(reason(pattern) == .cannotCreate)
    }

    @Test func rejectsRatesThatALossyFormatLacksAndListsItsOwn() {
        #expect(remedy(.opus, rate: 44_100)?.contains("8000, 12000, 16000, 24000 or 48000 Hz") == true)
        #expect(remedy(.mp3, rate: 96_000)?.contains("44100 or 48000 Hz") == true)
        #expect(remedy(.vorbis, rate: 384_000)?.contains("200000 Hz") == true)
        #expect(remedy(.mp3, channels: 3)?.contains("up to 2 channels") == true)
        for container in Container.allCases { #expect(remedy(container) == nil, "\(container)") }
    }

    @Test func aLossyFormatHasNoEncoding() throws {
        for container in [Container.vorbis, .opus, .mp3] {
            var output = RecordingOutput(.file(path: "/tmp/nosuch"), container: container, encoding: .s24)
            #expect(output.format.encoding == .inherited && reason(output) == nil)
            output.format.encoding = .given(.s16)
            #expect(failure(output)?.remedy.contains("Leave the encoding out") == true)
        }
    }

    @Test func rejectsCompressionThatTheContainerLacks() {
        #expect(remedy(.flac, .level(8)) == nil && remedy(.flac, .level(9)) == "Choose from 0 to 8.")
        #expect(remedy(.wav, .level(1)) == "Leave it out." && remedy(.raw, .bitRate(64)) == "Leave it out.")
        #expect(remedy(.vorbis, .bitRate(64)) == "Choose a compression level instead.")
        #expect(remedy(.mp3, .bitRate(144)) != nil && remedy(.mp3, .bitRate(144), rate: 16_000) == nil)
        #expect(remedy(.opus, .bitRate(512)) == nil)
        #expect(remedy(.opus, .bitRate(512), channels: 1) == "Choose from 6 to 256 kbit/s.")
    }

    @Test("A device accepts formats that can be streamed, whether or not replacing is allowed, and nothing else")
    func aDeviceIsStreamedInto() {
        for replaces in [false, true] {
            let raw = RecordingOutput(.file(path: "/dev/null"), container: .raw, replacesExisting: replaces)
            #expect(reason(raw) == nil && raw.pathWhileWritten == nil)
            let aiff = RecordingOutput(.file(path: "/dev/null"), container: .aiff, replacesExisting: replaces)
            #expect(reason(aiff) == .invalidFormat)
        }
    }

    @Test("Two paths to one file are rejected, also through links, and so is a reserved file")
    func refusesOneFileByTwoNames() async throws {
        try await TemporaryDirectory.with { directory in
            let files = FileManager.default
            try files.createDirectory(at: directory.appending(path: "a"), withIntermediateDirectories: false)
            try files.createSymbolicLink(atPath: directory.path + "/b", withDestinationPath: "a")
            let paths = ["a/t.wav", "b/t.wav", "a/../a/./t.wav"].map { directory.path + "/" + $0 }
            for path in paths.dropFirst() {
                let outputs = try [paths[0], path].map { try RecordingOutput(path: $0) }
                let error = #expect(throws: ACCAudioRecorderError.self) {
                    try ACCAudioRecorder.Configuration().validate(outputs: outputs)
                }
                #expect(error?.failure?.cause.contains("is the same file") == true, "\(path)")
                let reserving = ACCAudioRecorder.Configuration().with { $0.program.reservedPaths = [path] }
                #expect(throws: ACCAudioRecorderError.self) { try reserving.validate(outputs: [outputs[0]]) }
            }
            #expect(throws: ACCAudioRecorderError.self) {
                try ACCAudioRecorder.Configuration().with {
                    $0.program.reservedPaths = [directory.path + "/a/t.wav.labels.txt"]
                }
                .validate(outputs: [RecordingOutput(path: paths[0])])
            }
            // Outputs with the same stem share the name of their markers, which are numbered then.
            let stem = try ["wav", "flac"].map { try RecordingOutput(path: "\(directory.path)/t.\($0)") }
            try ACCAudioRecorder.Configuration().with {
                $0.program.reservedPaths = [directory.path + "/u.wav", "/dev/null"]
            }
            .validate(outputs: stem)
        }
    }

    @Test func rejectsPathsThatCannotBeFiles() throws {
        #expect(reason(try RecordingOutput(path: "/nosuch-directory/take.wav")) == .cannotCreate)
        #expect(reason(try RecordingOutput(path: "/dev/null/take.wav")) == .cannotCreate)
        #expect(reason(RecordingOutput(.file(path: "/"), container: .wav, replacesExisting: true)) == .cannotCreate)
        #expect(reason(RecordingOutput(.file(path: "takes/"), container: .wav)) == .cannotCreate)
    }
}
