import Foundation
import TestSupport
import Testing

@testable import ACCAudioRecorder

@Suite(.timeLimit(.minutes(1)))
struct MetadataTests {
    private static let form = StreamFormat(sampleRate: 48_000, channelMap: .standard(channelCount: 1))

    private func writer(_ output: RecordingOutput) throws -> OutputWriter {
        let source = AudioSource.made("microphone", rate: 44_100, description: "Lark, Microphone")
        return try OutputWriter(
            output, for: source, form: Self.form,
            configuration: .init().with {
                $0.resamplerQuality = .best
                $0.program = RecordingProgram(name: "accrec", version: "0.1.0")
            },
            broadcast: RecordingBroadcast())
    }

    @Test(arguments: Container.allCases)
    func everyTagIsWrittenOrRejected(container: Container) async throws {
        try await TemporaryDirectory.with { directory in
            let url = directory.appending(path: "take.\(container.fileExtensions[0])")
            var output = try RecordingOutput(path: url.path, container: container)
            for tag in MetadataTag.allCases {
                output.tags = [tag: tag == .track ? "3" : tag == .title ? "Größe" : "a \(tag)"]
                if container.tags.contains(tag) {
                    try output.validate()
                } else {
                    #expect(throws: ACCAudioRecorderError.self, "\(tag)") { try output.validate() }
                }
            }
            guard !container.tags.isEmpty else { return }
            output.tags = Dictionary(
                uniqueKeysWithValues: container.tags.map {
                    ($0, $0 == .track ? "3" : $0 == .title ? "Größe" : "a \($0)")
                })
            output.otherTags = ["MOOD": "calm", "KEY": "C"]
            let writer = try writer(output)
            writer.begin(hostTime: MonotonicClock.now())
            withBlock([Float](repeating: 0.25, count: 4_800)) { writer.write($0) }
            #expect(await writer.finish(serverProcessing: []).value.first?.failure == nil)
            let strings = try DecodedFile(url).strings
            for (tag, text) in output.tags where tag != .comment {
                #expect(strings[tag.soundFileString] == text, "\(tag)")
            }
            #expect(
                strings[MetadataTag.comment.soundFileString]
                    == "a comment; KEY=C; MOOD=calm; recorded by accrec 0.1.0 from 'Lark, Microphone' (44100 Hz, 2 channels, s16le), "
                    + "converted to 48000 Hz by libsamplerate (best)")
        }
    }

    @Test func rejectsTextThatCannotBeWritten() throws {
        var output = try RecordingOutput(path: "/tmp/nosuch.mp3")
        output.tags[.title] = "日本"
        #expect(throws: ACCAudioRecorderError.self) { try output.validate() }
        output.container = .opus
        try output.validate()
        output.tags[.title] = ""
        #expect(throws: ACCAudioRecorderError.self) { try output.validate() }
        output.tags = [:]
        output.otherTags = ["MOOD": "a\0b"]
        #expect(throws: ACCAudioRecorderError.self) { try output.validate() }
        output.otherTags = [:]
        output.tags = [:]
        output.isBroadcastWave = true
        #expect(throws: ACCAudioRecorderError.self) { try output.validate() }
        output.container = .rf64
        try output.validate()
    }

    @Test("Consecutive files state when they begin, consistently to the frame")
    func timesAddUp() async throws {
        try await TemporaryDirectory.with { directory in
            var output = try RecordingOutput(path: directory.appending(path: "take.wav").path)
            output.isBroadcastWave = true
            let writer = try writer(output)
            writer.begin(hostTime: MonotonicClock.now())
            for length in [1, 4_801, 77, 12_345, 9_999] {
                withBlock([Float](repeating: 0.25, count: length)) { writer.write($0) }
                writer.startNewFile(hostTime: MonotonicClock.now(), serverProcessing: [])
            }
            withBlock([Float](repeating: 0.25, count: 10)) { writer.write($0) }
            let reports = await writer.finish(serverProcessing: []).value
            #expect(reports.count == 6)
            let chunks = try reports.map { report in
                let path = try #require(report.output.pathWhileWritten)
                return try #require(try BroadcastChunk(URL(filePath: path)))
            }
            for (report, chunk) in zip(reports, chunks) {
                #expect(chunk.timeReference == chunks[0].timeReference + report.firstFrame)
                #expect(chunk.description == "Lark, Microphone" && chunk.originator == "accrec")
                let captured =
                    "A=PCM,F=44100,W=16,M=stereo,T=accrec 0.1.0; Lark  Microphone; converted to 48000 Hz by "
                    + "libsamplerate (best)\r\n"
                #expect(chunk.codingHistory.hasPrefix(captured + "A=PCM,F=48000,W=16,M=mono,T=libsndfile"))
            }
        }
    }

    @Test func timeOfAFrameContinuesPastMidnight() throws {
        let now = MonotonicClock.now()
        let sinceMidnight = WallClock(hostTime: now).framesSinceMidnight(rate: 1_000)
        let start = WallClock(hostTime: UInt64(Int(now) + (86_399_500 - sinceMidnight) * 1_000_000))
        let first = BroadcastExtension.Time(start: start, frame: 0, rate: 48_000)
        #expect(first.time == "23:59:59" && first.date == start.date(addingDays: 0))
        let reference = first.reference
        let later = BroadcastExtension.Time(start: start, frame: 48_000, rate: 48_000)
        #expect(later.time == "00:00:00" && later.reference == reference + 48_000 - 86_400 * 48_000)
        #expect(later.date == start.date(addingDays: 1) && later.date != first.date)
        #expect(later.timestamp.hasPrefix("\(later.date)T00:00:00."))
        let nextDay = BroadcastExtension.Time(start: start, frame: 48_000 * 86_400, rate: 48_000)
        #expect(nextDay.reference == reference && nextDay.date == later.date)
    }
}
