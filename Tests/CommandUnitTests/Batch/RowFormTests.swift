import ACCAudioRecorder
import Foundation
import TestSupport
import Testing

@testable import AccrecCommands

/// Rows of a batch, of which those of one form are parsed once.
// The sanitisers make parsing slow, and it has one thread.
@Suite(.tags(.skipsThreadSanitizer, .skipsAddressSanitizer)) struct RowFormTests {
    /// Rows of few forms, whose own settings are all of the kinds there are: right, wrong, and left out.
    private static func rows(_ count: Int) -> [String] {
        var random = SplitMix64(seed: 50)
        let outputs = [
            "DIR/%.wav", "DIR/%.WAV", "DIR/%.flac", "DIR/%-{n}.wav", "DIR/%.mp3,bitrate=128",
            "DIR/%.wav,rate=16000,bwf=yes",
            "DIR/%, and more.wav", "DIR/%", "DIR/%.xyz", "DIR/%-{x}.wav", "DIR/%.wav,rate=1", "-", "DIR/%-{input}.wav",
            "",
        ]
        let own: [String: [String]] = [
            "duration": ["2.5", "\"1:30\"", "0", "\"long\""], "title": ["\"A title\"", "\"\"", "3"],
            "tags": ["{\"mood\": \"calm\", \"genre\": \"Talk\"}", "{\"1st\": \"x\"}", "\"room=hall; mood=loud\""],
            "tag": ["[\"title=of a tag\"]", "\"none\""], "artist": ["\"Somebody\""], "comment": ["\"Two\\nlines\""],
            "date": ["\"2026-11-28\""], "album": ["\"\\u0007\""],
        ]
        let common = ["", ", \"rate\": 16000", ", \"channels\": 1, \"strict\": true", ", \"format\": \"flac\""]
        return (0..<count).map { index in
            let names = (0..<Int.random(in: 1...2, using: &random)).map { part in
                "\"\(outputs.randomElement(using: &random)!.replacing("%", with: "take \(index)-\(part)"))\""
            }
            var members = ["\"output\": [\(names.joined(separator: ", "))]"]
            for (key, values) in own.sorted(by: { $0.key < $1.key }) where Bool.random(using: &random) {
                // Mistakes in most rows would leave few that are right.
                let value =
                    Int.random(in: 0..<8, using: &random) == 0 ? values.randomElement(using: &random)! : values[0]
                members.append("\"\(key)\": \(value)")
            }
            return "{\(members.joined(separator: ", "))\(common.randomElement(using: &random)!)}"
        }
    }

    private struct Result: Equatable {
        let outputs: [[RecordingOutput]]
        let configurations: [ACCAudioRecorder.Configuration]
        let durations: [Double?]
        let mistakes: [String]

        init(of row: Manifest.Row, _ reader: inout RowReader) {
            var mistakes = FileMistakes(path: "m")
            let takes = reader.takes(of: row, &mistakes)?.takes ?? []
            (outputs, configurations) = (takes.map(\.outputs), takes.map(\.configuration))
            (durations, self.mistakes) = (takes.map(\.duration), mistakes.lines)
        }
    }

    /// A row is what it is alone, whatever rows of its form there are before it.
    @Test func rowsOfOneFormAreParsedAsEachAlone() async throws {
        try await TemporaryDirectory.with { directory in
            let file = directory.appending(path: "m.jsonl")
            let text = Self.rows(100).joined(separator: "\n").replacing("DIR", with: directory.path)
            try Data(text.utf8).write(to: file)
            var mistakes = FileMistakes(path: file.path)
            let keys = try Manifest.Keys()
            let manifest = Manifest(path: file.path, keys: keys, mistakes: &mistakes)
            #expect(mistakes.isEmpty)
            let fresh = RowReader(
                keys: keys, flags: [], isPrompted: true, defaults: [], effective: [], &mistakes)
            var reader = fresh
            var results: Set<Bool> = []
            for row in manifest.rows {
                var other = fresh
                let (together, alone) = (Result(of: row, &reader), Result(of: row, &other))
                #expect(together == alone, "line \(row.line)")
                results.insert(alone.mistakes.isEmpty)
            }
            #expect(results == [true, false])
        }
    }
}
