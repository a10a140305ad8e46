import Foundation
import TestSupport
import Testing

@testable import ACCAudioRecorder

/// GUANO metadata: what a user may state, and the chunk.
struct GUANOTests {
    @Test(
        "Fields that GUANO defines, and those with a namespace, are kept in their order; a later value replaces an earlier one"
    )
    func fields() throws {
        var fields = GUANOFields()
        for (key, value) in [
            ("Loc Position", "47.3769 -8.5417"), ("User|Site", "pond: north"), ("PET|D500X|TSens", "high"),
            ("Note", #"first\nsecond"#), ("Humidity", "100"), (" Make ", " Lärm "), ("Loc Position", "-90 180"),
            ("Temperature Ext", "-12.5"), ("Tags", "a, b"),
        ] {
            try fields.set(key, to: value)
        }
        #expect(
            fields.lines == """
                Loc Position: -90 180
                User|Site: pond: north
                PET|D500X|TSens: high
                Note: first\\nsecond
                Humidity: 100
                Make: Lärm
                Temperature Ext: -12.5
                Tags: a, b

                """)
        var others = GUANOFields()
        try others.set("Make", to: "x")
        #expect(fields.setting(others).fields.map(\.key).filter { $0 == "Make" }.count == 1)
        #expect(fields.setting(others).fields.last?.value == "x")
    }

    @Test(
        "What would break the lines, is not of its kind or is the recorder's is refused, and the message says what to do",
        arguments: [
            ("", "x", "Give it as in"), ("a:b", "x", "Give it as in"), ("a\nb", "x", "Give it as in"),
            (String(repeating: "k", count: 129), "x", "Give it as in"), ("make", "x", "Write it 'Make'"),
            ("Site", "x", "'User|Site'"), ("|x", "x", "namespace"), ("NS|", "x", "namespace"),
            ("GUANO|Version", "2.0", "Leave it out"), ("Timestamp", "x", "Leave it out"),
            ("Length", "1", "Leave it out"),
            ("Samplerate", "1", "Leave it out"), ("TE", "10", "Leave it out"), ("Make", "", "leave the field out"),
            ("Make", "a\nGUANO|Version: 2.0", "leave the field out"), ("Make", "a\u{2028}b", "leave the field out"),
            ("Make", "a\u{1B}[31m", "leave the field out"), ("Make", "a\0", "leave the field out"),
            ("Humidity", "101", "21.5"), ("Humidity", "nan", "21.5"), ("Loc Accuracy", "-1", "21.5"),
            ("Loc Elevation", "0x10", "21.5"), ("Loc Elevation", "12,5", "21.5"), ("Loc Position", "47", "47.3769"),
            ("Loc Position", "91 0", "47.3769"), ("Loc Position", "0 181", "47.3769"),
            ("Loc Position", "47.1, 8.5", "47.3769"), ("Note", String(repeating: "x", count: 16_384), "Shorten"),
        ])
    func refusals(key: String, value: String, remedy: String) throws {
        var fields = GUANOFields()
        let error = #expect(throws: ACCAudioRecorderError.self) { try fields.set(key, to: value) }
        #expect(error?.failure?.remedy.contains(remedy) == true, "\(error as Any)")
    }

    @Test("The chunk is as long whatever the time and the length, and ends with white space")
    func chunk() throws {
        var fields = GUANOFields()
        try fields.set("Make", to: "ä")
        let start = WallClock(hostTime: MonotonicClock.now())
        let contents = [nil, 0, 1, 96_001, Int(Int32.max) * 1_000].map {
            GUANOChunk(start: start, sampleRate: 48_000, frameCount: $0, fields: fields).content
        }
        #expect(Set(contents.map(\.count)).count == 1 && contents[0].count % 4 == 0)
        let read = contents.map { GUANOChunk.fields(in: $0) }
        #expect(
            read.map { $0.map(\.key) } == [["GUANO|Version", "Timestamp", "Samplerate", "Make"]]
                + Array(repeating: ["GUANO|Version", "Timestamp", "Samplerate", "Make", "Length"], count: 4))
        #expect(read.dropFirst().map { $0[4].value } == ["0.000000", "0.000020", "2.000020", "44739242.645833"])
        #expect(read[0][3].value == "ä")
    }

    @Test(
        "A timestamp has the zone's offset at that time",
        arguments: [("UTC0", "+00:00"), ("NST3:30", "-03:30"), ("TOT-13", "+13:00")])
    func timestamps(zone: String, offset: String) throws {
        let content = LocalTime.with(zone: zone) {
            GUANOChunk(
                start: WallClock(hostTime: MonotonicClock.now()), sampleRate: 8_000, frameCount: nil,
                fields: GUANOFields()
            ).content
        }
        let time = try #require(GUANOChunk.fields(in: content).first { $0.key == "Timestamp" }?.value)
        #expect(
            time.wholeMatch(of: #/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d/#) != nil && time.hasSuffix(offset)
        )
        let date = try Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(time)
        #expect(abs(date.timeIntervalSinceNow) < 3_600)
    }

    @Test("A damaged or hostile chunk gives fields, or none, and never too many")
    func hostileChunks() {
        func keys(_ text: String) -> [String] { GUANOChunk.fields(in: Array(text.utf8)).map(\.key) }
        #expect(keys("") == [] && keys("no colon\n\n : x\n\0\0") == [])
        #expect(keys("a:b:c\r\n  d  :  \0") == ["a", "d"])
        #expect(GUANOChunk.fields(in: Array(" Key :\t a:b \r\0\0".utf8)).map(\.value) == ["a:b"])
        #expect(GUANOChunk.fields(in: [0xFF, 0x3A, 0xFE]).count == 1)
        #expect(keys(String(repeating: "a:b\n", count: 100_000)).count == 1_000)
    }
}
