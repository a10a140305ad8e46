import Foundation
import TestSupport
import Testing

@testable import ACCAudioRecorder
@testable import AccrecCommands

/// What `accrec info` shows of files of other recorders.
@Suite struct InfoRecordTests {
    /// A WAV file of two channels with a chunk behind its samples, where most recorders write it.
    private func record(ofChunk text: String, named name: String = "iXML") async throws -> InfoCommand.Record {
        try await read(ofChunk: text, named: name).record
    }

    /// What is shown of that file, and its waveform.
    private func read(
        ofChunk text: String, named name: String = "iXML"
    ) async throws -> (record: InfoCommand.Record, waveform: [String]) {
        func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
            Array(name.utf8) + ByteOrder.little.bytes(UInt64(content.count), count: 4) + content
                + (content.count % 2 == 0 ? [] : [0])
        }
        let format: [UInt8] = [1, 0, 2, 0, 0x80, 0xBB, 0, 0, 0, 0xEE, 2, 0, 4, 0, 16, 0]
        let chunks =
            Array("WAVE".utf8) + chunk("fmt ", format) + chunk("data", [UInt8](repeating: 1, count: 400))
            + chunk(name, Array(text.utf8))
        return try await TemporaryDirectory.with { directory in
            let file = directory.appending(path: "take.wav")
            try Data(chunk("RIFF", chunks)).write(to: file)
            var reader = try SoundFileReader(path: file.path)
            let record = InfoCommand.Record(of: &reader, at: "take.wav", measuresLevels: false)
            return (record, InfoCommand.waveform(of: &reader, record))
        }
    }

    private func track(_ number: Int, _ name: String) -> String {
        "<TRACK><INTERLEAVE_INDEX>\(number)</INTERLEAVE_INDEX><NAME>\(name)</NAME></TRACK>"
    }

    @Test("The names of channels are shown in their order, without those that the file has not")
    func namesOfAnotherRecorder() async throws {
        let text = track(3, "none") + track(2, "Lav &amp; Co") + track(1, "Boom") + track(0, "x") + track(-1, "y")
        let record = try await record(ofChunk: "<BWFXML><TRACK_LIST>\(text)</TRACK_LIST></BWFXML>")
        #expect(
            record.lines == [
                "file       take.wav", "format     WAV (Microsoft), Signed 16 bit PCM",
                "length     0:00.002, 100 frames", "samples    48000 Hz, 2 channels", "channel 1  Boom",
                "channel 2  Lav & Co",
            ])
    }

    @Test(
        "A channel without a name is not shown", arguments: ["", "<TRACK>", "<TRACK><NAME> </NAME></TRACK>", "\0\0\0"])
    func noNames(text: String) async throws {
        #expect(try await record(ofChunk: text).tracks.isEmpty)
    }

    @Test func namesOfAnotherChunkAreNotShown() async throws {
        #expect(try await record(ofChunk: track(1, "Boom"), named: "axml").tracks.isEmpty)
    }

    @Test("Names reach neither a terminal nor JSON raw", arguments: ["\u{1B}]0;x\u{7}", "&#27;[2J", "a\u{202E}b\nc"])
    func hostileNames(name: String) async throws {
        let record = try await record(ofChunk: track(1, name))
        #expect(record.tracks.count == 1)
        #expect(PrintableText.isPrintable(String(try JSONText.line(record).dropLast())))
    }

    @Test func thePageHasEachKeyOfTheJSONAndNoOthers() async throws {
        let section = try #require(try ManualPage().section("accrec info"))
        let items = section.split(separator: "\n").filter { $0.hasPrefix(".It Ic ") }
        let documented = items.flatMap { $0.dropFirst(7).components(separatedBy: " , ") }
        let keys = Mirror(reflecting: try await record(ofChunk: "")).children.compactMap(\.label)
        #expect(Set(documented) == Set(keys.map { $0 == "sampleRate" ? "sample_rate" : $0 }))
    }

    @Test("The waveform has the names and the level of each channel")
    func waveform() async throws {
        let lines = try await read(ofChunk: "<BWFXML><TRACK_LIST>\(track(2, "Lav"))</TRACK_LIST></BWFXML>").waveform
        // Three lines for each of two channels, and the time. -42 dBFS is a third of the scale.
        #expect(lines.count == 7)
        let bars = lines.prefix(6).map { Set($0.dropFirst(11)).count == 1 ? $0.last! : "?" }
        #expect([bars[0], bars[1], bars[3], bars[4]].allSatisfy { $0 == " " })
        #expect(bars[2] == bars[5] && bars[2] != " " && bars[2] != "?")
        #expect(lines[1].hasPrefix("L          ") && lines[4].hasPrefix("Lav        "))
    }
}
