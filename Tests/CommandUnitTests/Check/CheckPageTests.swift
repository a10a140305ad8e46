import Foundation
import TestSupport
import Testing

@testable import ACCAudioRecorder
@testable import AccrecCommands

@Suite struct CheckPageTests {
    private static let hostile = [
        "</script><script>alert(1)</script>", "<!--<script>", "<img src=x onerror=alert(1)>",
        "a\u{202E}b\u{1B}[2J\u{0}c",
        "quote\"'`${1}\\", "&lt;&amp;", "]]>", "\u{2028}\u{2029}",
    ]

    private func page(of takes: [PageTake], title: String = "Takes") throws -> (pieces: [String], text: String) {
        var pieces: [String] = []
        let page = try CheckPage(title: title, takeCount: takes.count, nonce: "n") { pieces.append($0) }
        for take in takes { try page.add(take) }
        return (pieces, pieces.joined())
    }

    /// The content of each block of takes, by lines.
    private func blocks(of text: String) -> [[Substring]] {
        text.components(separatedBy: "<script type=\"application/json\" class=\"take-data\">\n").dropFirst().map {
            $0.components(separatedBy: "\n</script>")[0].split(separator: "\n")
        }
    }

    @Test("No name, tag or finding becomes markup", arguments: hostile)
    func hostileText(name: String) throws {
        let plain = try page(of: [.made("x")], title: "x").text
        let text = try page(of: [.made(name)], title: name).text
        for mark in ["<script", "</script", "<!--", "<img", "-->"] {
            #expect(text.components(separatedBy: mark).count == plain.components(separatedBy: mark).count)
        }
        #expect(!text.unicodeScalars.contains { $0 != "\n" && !PrintableText.isPrintable($0) })
        let take = try #require(blocks(of: text).first)
        #expect(take.count == 2)
        let read = try JSONDecoder().decode(PageTake.self, from: Data(take[1].utf8))
        // JSON escapes the first characters, and all others that cannot be printed are replaced.
        #expect(
            read.places[0].text
                == String(
                    String.UnicodeScalarView(
                        name.unicodeScalars.map {
                            $0.value < 0x20 || PrintableText.isPrintable($0) ? $0 : "?"
                        })))
    }

    @Test("What the page reads of a take is what it was given")
    func roundTrip() throws {
        let take = PageTake.made("räksmörgås <1>")
        let lines = try #require(blocks(of: try page(of: [take]).text).first)
        #expect(try JSONDecoder().decode(PageTake.self, from: Data(lines[1].utf8)) == take)
        let row = try #require(try JSONSerialization.jsonObject(with: Data(lines[0].utf8)) as? [String: Any])
        #expect(row["name"] as? String == take.name)
        #expect(row["kinds"] as? [String] == ["räksmörgås <1>"])
        #expect(row["findings"] as? Int == 4)
    }

    @Test("Takes are written one by one, each as soon as it is added")
    func streaming() throws {
        let takes = (1...50).map { PageTake.made("\($0).wav", detail: .coarse) }
        let (pieces, text) = try page(of: takes)
        #expect(pieces.count == 51)
        #expect(blocks(of: text).count == 50)
        #expect(pieces.dropFirst().allSatisfy { $0.utf8.count < 8_000 })
    }

    @Test("Ten thousand takes of many channels and findings stay below 40 MB")
    func size() throws {
        let places = (0..<1_000).map {
            TakePlace(
                .failed, kind: "clipped", "12 clipped samples on channels 1 and 2", start: Double($0) / 1_000, end: 2)
        }
        let detail = PageDetail.of(takeCount: 10_000)
        let (pieces, _) = try page(of: [.made("session 12, take 123.wav", detail: detail, channels: 8, places: places)])
        #expect(pieces[1].utf8.count < 4_000)
        let least = PageDetail.of(takeCount: 1_000_000)
        let (few, _) = try page(of: [.made("session 12, take 123.wav", detail: least, channels: 8, places: places)])
        #expect(few[1].utf8.count < 1_600)
    }

    @Test("Of too many places the first ones are kept, and the others counted")
    func omittedPlaces() throws {
        let places = (0..<500).reversed().map { TakePlace(.warned, kind: "hum", "hum", start: Double($0)) }
        let take = PageTake.made(places: places)
        #expect(take.places.map(\.start) == (0..<400).map { Double($0) })
        #expect(take.omittedPlaces == 100)
    }

    @Test("Numbers that JSON has not are left out")
    func numbers() throws {
        let take = PageTake(
            name: "a", folder: "", address: nil, container: "", format: "", seconds: .infinity, verdict: .ok,
            loudness: -.infinity, truePeak: .nan, facts: [],
            places: [TakePlace(.noted, "a", start: .nan, end: .infinity)],
            mostPlaces: 1, curves: nil)
        let text = try page(of: [take]).text
        #expect(blocks(of: text).count == 1)
        #expect(take.seconds == 0 && take.loudness == nil && take.places[0].start == nil)
    }

    @Test("A page appears when it is complete, and not at all if a take fails")
    func file() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.appending(path: "page.html").path
            let file = try WholeFile(path: path, replacesExisting: false)
            #expect(throws: RunFailure.self) {
                try CheckPage.write(to: file, title: "", takeCount: 1) { page in
                    try page.add(.made())
                    #expect(!FileManager.default.fileExists(atPath: path))
                    throw RunFailure("a", "b")
                }
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
            try CheckPage.write(to: file, title: "", takeCount: 1) { page in try page.add(.made()) }
            let text = try String(contentsOfFile: path, encoding: .utf8)
            #expect(text.hasPrefix("<!doctype html>") && text.hasSuffix("</body>\n</html>\n"))
        }
    }

    @Test("Each page has a nonce of its own, which its scripts and styles have")
    func nonce() async throws {
        let nonces = try await TemporaryDirectory.with { directory in
            try (1...2).map { number in
                let path = directory.appending(path: "\(number).html").path
                try CheckPage.write(to: WholeFile(path: path, replacesExisting: false), title: "", takeCount: 0) { _ in
                }
                let parts = try String(contentsOfFile: path, encoding: .utf8).components(separatedBy: "nonce=\"")
                #expect(parts.count == 3)
                let nonce = parts[1].prefix { $0 != "\"" }
                #expect(parts[0].contains("script-src 'nonce-\(nonce)'") && nonce.count > 16)
                return String(nonce)
            }
        }
        #expect(Set(nonces).count == 2)
    }
}
