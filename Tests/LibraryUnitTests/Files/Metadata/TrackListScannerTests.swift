import TestSupport
import Testing

@testable import ACCAudioRecorder

/// Chunks of other recorders, damaged ones and hostile ones.
@Suite struct TrackListScannerTests {
    private func names(_ text: String) -> [Int: String] { TrackListScanner.names(in: Array(text.utf8)) }

    @Test(
        "Names are read as recorders write them",
        arguments: [
            ("<TRACK><INTERLEAVE_INDEX>2</INTERLEAVE_INDEX><NAME>Lav</NAME></TRACK>", [2: "Lav"]),
            (
                "<TRACK>\r\n\t<NAME> My Boom </NAME>\r\n\t<INTERLEAVE_INDEX> 1 </INTERLEAVE_INDEX></TRACK>",
                [1: "My Boom"]
            ),
            ("<TRACK><NAME>a</NAME></TRACK><TRACK></TRACK><TRACK><NAME>c</NAME></TRACK>", [1: "a", 3: "c"]),
            ("<NAME>scene</NAME><TRACK><FUNCTION>LEFT</FUNCTION></TRACK><NAME>x</NAME>", [:]),
            ("<TRACK><NAME>R&amp;B &lt;&#65;&#x1F3A4;&gt; &apos;&quot;</NAME></TRACK>", [1: "R&B <A🎤> '\""]),
            (
                "<TRACK><NAME>R & B; &nosuch; &#xD800; &#99999999; &#0000000065;</NAME></TRACK>",
                [1: "R & B; &nosuch; &#xD800; &#99999999; &#0000000065;"]
            ),
            (
                "<TRACK><NAME>once</NAME></TRACK><TRACK><INTERLEAVE_INDEX>1</INTERLEAVE_INDEX><NAME>twice</NAME></TRACK>",
                [1: "once"]
            ),
        ] as [(String, [Int: String])])
    func recorders(text: String, expected: [Int: String]) {
        #expect(names("<?xml version=\"1.0\"?><BWFXML><TRACK_LIST>\(text)</TRACK_LIST></BWFXML>\0\0") == expected)
    }

    @Test(
        "What is no list of tracks has no names, and long names are cut",
        arguments: [
            "", "<", "<TRACK", "<TRACK>", "<TRACK><NAME>", "<TRACK><NAME>a", "<TRACK><NAME>a</NAME>",
            "</TRACK></TRACK>",
            "<TRACK><NAME/></TRACK>", "<TRACK><INTERLEAVE_INDEX>99999999999999999999</INTERLEAVE_INDEX></TRACK>",
        ])
    func damaged(text: String) {
        #expect(names(text).isEmpty)
    }

    @Test("Long names are cut, and so are long lists")
    func long() {
        let name = "<TRACK><NAME>\(String(repeating: "&amp;", count: 100_000))</NAME></TRACK>"
        #expect(names(name) == [1: String(repeating: "&", count: 256)])
        #expect(names(String(repeating: "<TRACK><NAME>a</NAME></TRACK>", count: 30_000)).count <= 1_025)
    }

    @Test("No bytes make it trap")
    func randomBytes() {
        var random = SplitMix64(seed: 45)
        let whole = TrackList((1...8).map { NamedChannel(number: $0, name: "a & \($0) <b>") })!.content
        for _ in 0..<2_000 {
            var bytes = whole
            for _ in 0...random.next() % 8 {
                bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next() >> 32)
            }
            bytes.removeLast(Int(random.next() % UInt64(bytes.count)))
            let found = TrackListScanner.names(in: bytes)
            #expect(found.count <= 8 && found.values.allSatisfy { $0.unicodeScalars.count <= 256 })
        }
    }

    @Test("Only a comment with as many names as there are channels has names")
    func comments() {
        let comment = "Tracks: no, names; a text; Tracks: mic, desktop L, desktop R"
        #expect(TrackList.names(inComment: comment, channelCount: 3) == [1: "mic", 2: "desktop L", 3: "desktop R"])
        #expect(TrackList.names(inComment: comment, channelCount: 2) == nil)
        #expect(TrackList.names(inComment: "about Tracks: a", channelCount: 1) == nil)
    }
}
