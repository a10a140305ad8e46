import Foundation
import FoundationXML
import TestSupport
import Testing

@testable import ACCAudioRecorder
@testable import AccrecCommands

@Suite struct TakePictureTests {
    /// The elements of a document, with their attributes and their own text.
    private final class Elements: NSObject, XMLParserDelegate {
        private(set) var all: [(name: String, attributes: [String: String], text: String)] = []
        private var open: [Int] = []

        init?(_ text: String) {
            super.init()
            let parser = XMLParser(data: Data(text.utf8))
            parser.delegate = self
            guard parser.parse() else { return nil }
        }

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
            attributes: [String: String]
        ) {
            open.append(all.count)
            all.append((name, attributes, ""))
        }

        func parser(_ parser: XMLParser, foundCharacters text: String) { all[open.last!].text += text }

        func parser(_ parser: XMLParser, didEndElement: String, namespaceURI: String?, qualifiedName: String?) {
            open.removeLast()
        }

        func of(_ name: String, _ style: String? = nil) -> [(name: String, attributes: [String: String], text: String)]
        {
            all.filter { $0.name == name && (style == nil || $0.attributes["class"] == style) }
        }
    }

    private func elements(_ take: PageTake) throws -> Elements { try #require(Elements(TakePicture.text(of: take))) }

    @Test(
        "Names, tags and findings are text",
        arguments: [
            "</text><script>alert(1)</script>", "a & b < c > d \" '", "]]><!--", "\u{1B}[2J\u{0}\u{202E}x\u{FFFE}",
        ])
    func hostileText(name: String) throws {
        let picture = try elements(.made(name))
        #expect(picture.of("script").isEmpty)
        #expect(picture.of("text", "name").map(\.text) == [PrintableText.line(name)])
        #expect(picture.all.count == (try elements(.made("x"))).all.count)
    }

    @Test("A gap, a marker and findings are where they belong, each with its words")
    func places() throws {
        let places = [
            TakePlace(.gap, kind: "gap", "1 s missing", start: 1, end: 1), TakePlace(.marker, "verse", start: 2),
            TakePlace(.failed, kind: "clipped", "clipped", start: 3, end: 4, channels: [2]),
            TakePlace(.warned, kind: "hum", "hum of 50 Hz"),
        ]
        let picture = try elements(.made(places: places))
        let width = TakePicture.right - TakePicture.left
        func x(_ style: String) -> [String?] { picture.of("rect", style).map { $0.attributes["x"] } }
        #expect(x("gap").allSatisfy { $0 == SVGText.number(TakePicture.left + width / 4) } && x("gap").count == 2)
        #expect(x("marker").allSatisfy { $0 == SVGText.number(TakePicture.left + width / 2) } && x("marker").count == 2)
        let clipped = try #require(picture.of("rect", "failed area").first?.attributes)
        #expect(clipped["width"] == SVGText.number(width / 4))
        #expect(clipped["height"] == "92")
        let tips = picture.of("title").map(\.text)
        #expect(tips.contains("0:03.0 to 0:04.0: clipped"))
        #expect(picture.of("text", "text").map(\.text).contains("hum of 50 Hz"))
        #expect(picture.of("text", "faint").map(\.text).contains("whole take"))
    }

    @Test("The waveform has a step for each column, as high as its samples")
    func waveform() throws {
        let waveform = Waveform(framesPerColumn: 4_000, channels: [[-1...1, 0...0.25]])
        let curves = TakeCurves(waveform, nil, nil, sampleRate: 4_000, names: ["mono"], target: nil, mostLanes: 2)
        let take = PageTake(
            name: "a", folder: "", address: nil, container: "", format: "", seconds: 2, verdict: .ok, loudness: nil,
            truePeak: nil, facts: [], places: [], mostPlaces: 1, curves: curves)
        let picture = try elements(take)
        let path = try #require(picture.of("path", "wave").first?.attributes["d"])
        // The lane is 92 pixels high, with its middle at 124, and full scale 42 pixels from there.
        let middle = 78.0 + 46
        let (one, other) = (SVGText.number(middle - 42.5), SVGText.number(middle - 0.5 - 42 * pow(64.0 / 127, 2)))
        #expect(path.hasPrefix("M64 \(one)L524 \(one)L524 \(other)L984 \(other)L984 \(SVGText.number(middle + 0.5))"))
        #expect(path.hasSuffix("L64 \(SVGText.number(middle + 42.5))Z"))
        #expect(picture.of("image").isEmpty)
    }

    @Test("A take that could not be read has its findings and no curves")
    func unreadable() throws {
        let take = PageTake(
            name: "a", folder: "", address: nil, container: "", format: "", seconds: 0, verdict: .failed, loudness: nil,
            truePeak: nil, facts: [], places: [TakePlace(.failed, kind: "unreadable", "cannot read it")], mostPlaces: 9,
            curves: nil)
        let picture = try elements(take)
        #expect(picture.of("text", "text").map(\.text) == ["cannot read it"])
        #expect(picture.of("path").isEmpty)
    }

    @Test("An image of two by two pixels is the one that another encoder writes")
    func image() {
        let image = PNGImage(width: 2, height: 2, palette: [0, 0, 0, 255, 128, 1], pixels: [1, 0, 0, 1])
        // Of Python's zlib, at level 0.
        let expected =
            "89504e470d0a1a0a0000000d49484452000000020000000208030000004568fd1600000006504c5445000000ff8001577b25ff"
            + "00000011494441547801010600f9ff000100000001000c000365568cf30000000049454e44ae426082"
        #expect(image.bytes.map { String(format: "%02x", $0) }.joined() == expected)
    }

    @Test("An image larger than a block is stored in several")
    func largeImage() throws {
        let image = PNGImage(width: 400, height: 400, palette: [0, 0, 0], pixels: Array(repeating: 0, count: 160_000))
        // Three blocks of five bytes each, two bytes before and four behind, twelve for each of four chunks, and signature.
        #expect(image.bytes.count == 8 + 4 * 12 + 13 + 3 + 2 + 3 * 5 + 160_400 + 4)
    }
}
