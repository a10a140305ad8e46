import FoundationEssentials
import Glibc

/// Draws a take as a picture in SVG: waveform with gaps, markers and findings, loudness, spectrogram, and a list of the places.
///
/// Text is left to the program that shows the picture, which has the fonts.
struct TakePicture {
    private static let width = 1_000.0
    /// The plots are between these columns.
    static let left = 64.0
    static let right = width - 16
    private static let mostListed = 30
    /// What each picture has within its first kilobyte, and no other file.
    static let mark = "class=\"accrec-check\""

    private let take: PageTake
    private var svg = SVGText()
    /// Where the next part begins, in pixels from the top.
    private var top = 0.0

    private init(_ take: PageTake) { self.take = take }

    /// The picture as the text of a file.
    static func text(of take: PageTake) -> String {
        var picture = TakePicture(take)
        picture.drawHeading()
        if let curves = take.curves, take.seconds > 0 {
            picture.drawFlags()
            let marked = picture.top
            picture.drawWaveform(curves.waveform)
            picture.drawPlaces(from: marked, lanes: curves.waveform.lanes.count)
            picture.drawTicks()
            if let loudness = curves.loudness { picture.drawLoudness(loudness) }
            if let spectrogram = curves.spectrogram { picture.drawSpectrogram(spectrogram) }
        }
        picture.listPlaces()
        let size = "\(SVGText.number(width)) \(SVGText.number(picture.top + 14))"
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(size)" width="\(SVGText.number(width))" font-size="12" \
            font-family="system-ui, 'DejaVu Sans', sans-serif" \(mark)>
            <title>\(SVGText.escaped(take.name))</title>
            <style>\(style)</style>
            <rect class="back" width="100%" height="100%"/>
            \(picture.svg.text)</svg>

            """
    }

    private static let style = """
        .back{fill:#fff}text{fill:#1c2227}.name{font-size:18px;font-weight:600}.faint{fill:#5b656d}.right{fill:#5b656d;\
        text-anchor:end}.middle{fill:#5b656d;text-anchor:middle}.grid{fill:#e8ebed}.line{fill:#dde1e4}.wave{fill:#4a7fb5}\
        .ok{fill:#2a7547}.warned{fill:#8f5600}.failed,.gap{fill:#b0261e}.noted{fill:#5b656d}.marker{fill:#6344ad}\
        .area{opacity:.3}.term,.momentary,.target{fill:none;stroke:#1f62a8;stroke-width:1.8}\
        .momentary{stroke:#9db7d1;stroke-width:1}.target{stroke:#2a7547;stroke-width:1;stroke-dasharray:5 4}
        """

    /// The column of a time in seconds.
    private func x(_ seconds: Double) -> Double {
        Self.left + (Self.right - Self.left) * min(max(seconds / take.seconds, 0), 1)
    }

    /// Takes room for the next part.
    ///
    /// - Returns: Where it begins.
    private mutating func advance(by height: Double) -> Double {
        defer { top += height }
        return top
    }

    private mutating func drawHeading() {
        _ = advance(by: 78)
        svg.append(label: take.name, x: 16, y: 28, "name", room: 500)
        svg.append(
            "text", "class=\"\(take.verdict.rawValue)\" x=\"984\" y=\"28\" text-anchor=\"end\"",
            content: take.verdict.word)
        let place = [take.folder, take.format].filter { !$0.isEmpty }.joined(separator: " · ")
        svg.append(label: place, x: 16, y: 48, "faint", room: 960)
        let facts = take.facts.map { "\($0.name) \($0.text)" }.joined(separator: " · ")
        svg.append(label: facts, x: 16, y: 67, "text", room: 960)
    }

    private mutating func listPlaces() {
        top += 10
        for place in take.places.prefix(Self.mostListed) {
            let top = advance(by: 18)
            svg.append(label: place.time, x: 16, y: top + 12, "faint")
            svg.append(label: place.type.word, x: 170, y: top + 12, place.type.rawValue)
            svg.append(label: place.text, x: 240, y: top + 12, "text", room: 740)
        }
        let omitted = take.omittedPlaces + max(take.places.count - Self.mostListed, 0)
        guard omitted > 0 else { return }
        let top = advance(by: 18)
        svg.append(label: "and \(omitted) more", x: 16, y: top + 12, "faint")
    }
}

extension TakePicture {
    private static let flagHeight = 20.0

    private static func laneHeight(of count: Int) -> Double { count <= 2 ? 92 : count <= 4 ? 60 : 34 }

    /// The labels of gaps and markers above the waveform, each as far as the next one.
    private mutating func drawFlags() {
        let flagged = take.places.filter { $0.type == .gap || $0.type == .marker }
        guard !flagged.isEmpty else { return }
        let top = advance(by: Self.flagHeight)
        for (index, place) in flagged.enumerated() {
            let left = x(place.start ?? 0)
            let next = index + 1 < flagged.count ? x(flagged[index + 1].start ?? 0) : Self.right
            let style = place.type.rawValue
            svg.append("rect", Self.box(left, top, 2, Self.flagHeight, style), tip: place.text)
            svg.append(label: place.text, x: left + 5, y: top + 13, style, room: next - left - 8)
        }
    }

    private mutating func drawWaveform(_ waveform: TakeCurves.WaveformBytes) {
        let height = Self.laneHeight(of: waveform.lanes.count)
        for lane in waveform.lanes {
            let top = advance(by: height)
            let middle = top + height / 2
            svg.append("rect", Self.box(Self.left, top, Self.right - Self.left, 1, "grid"))
            svg.append("rect", Self.box(Self.left, middle, Self.right - Self.left, 1, "line"))
            let name = lane.name.count > 9 ? String(lane.name.prefix(8)) + "…" : lane.name
            svg.append(label: name, x: Self.left - 8, y: middle + 4, "right")
            let outline = outline(of: lane, waveform.secondsPerColumn, middle: middle, half: height / 2 - 4)
            svg.append("path", "class=\"wave\" d=\"\(outline)\"")
        }
    }

    /// A step for each column: along the highest samples, and back along the lowest.
    private func outline(of lane: TakeCurves.Lane, _ secondsPerColumn: Double, middle: Double, half: Double) -> String {
        let count = lane.peaks.count / 2
        guard count > 0 else { return "" }
        var path = ""
        func add(_ column: Int, _ edge: Int, _ byte: UInt8, _ margin: Double) {
            let y = middle - TakeCurves.sample(ofByte: byte) * half + margin
            path +=
                "\(path.isEmpty ? "M" : "L")\(SVGText.number(x(Double(column + edge) * secondsPerColumn))) \(SVGText.number(y))"
        }
        let first = lane.peaks.startIndex
        for column in 0..<count {
            // Half a pixel more, so that silence is a line.
            for edge in [0, 1] { add(column, edge, lane.peaks[first + 2 * column + 1], -0.5) }
        }
        for column in (0..<count).reversed() {
            for edge in [1, 0] { add(column, edge, lane.peaks[first + 2 * column], 0.5) }
        }
        return path + "Z"
    }

    /// Marks findings, gaps and markers on the waveform: those of one channel on its lane.
    private mutating func drawPlaces(from top: Double, lanes: Int) {
        let height = Self.laneHeight(of: lanes)
        for place in take.places {
            guard let start = place.start else { continue }
            let channel = place.channels.count == 1 && lanes > 1 ? place.channels[0] - 1 : nil
            let lane = channel.flatMap { (0..<lanes).contains($0) ? $0 : nil }
            let width = place.type == .marker ? 1 : max(x(place.end ?? start) - x(start), 2)
            let style =
                place.type == .marker || place.type == .gap ? place.type.rawValue : "\(place.type.rawValue) area"
            svg.append(
                "rect",
                Self.box(
                    x(start), top + Double(lane ?? 0) * height, width,
                    lane == nil ? height * Double(lanes) : height, style),
                tip: "\(place.time): \(place.text)")
        }
    }

    private static func box(_ x: Double, _ y: Double, _ width: Double, _ height: Double, _ style: String) -> String {
        let numbers = [("x", x), ("y", y), ("width", width), ("height", height)]
        return "class=\"\(style)\" " + numbers.map { "\($0)=\"\(SVGText.number($1))\"" }.joined(separator: " ")
    }
}

extension TakePicture {
    /// The times below the waveform.
    private mutating func drawTicks() {
        let top = advance(by: 22)
        svg.append("rect", Self.box(Self.left, top, Self.right - Self.left, 1, "line"))
        let steps = [
            0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1_200, 1_800, 3_600, 7_200, 14_400, 36_000,
        ]
        let distance = steps.first { take.seconds / $0 <= 12 } ?? take.seconds / 2
        for tick in 0...Int(take.seconds / distance) {
            let time = Double(tick) * distance
            svg.append("rect", Self.box(x(time), top, 1, 4, "faint"))
            let clock = distance < 1 ? TimeText.clock(time, decimals: 1) : TimeText.countdown(Int(time))
            svg.append(label: clock, x: x(time), y: top + 16, x(time) > Self.right - 20 ? "right" : "middle")
        }
    }

    /// Momentary and short-term loudness, from 0 to -60 LUFS.
    private mutating func drawLoudness(_ loudness: TakeCurves.LoudnessBytes) {
        let height = 120.0
        let top = advance(by: height)
        let y = { (level: Double) in top + 8 + (height - 16) * min(max(level / -60, 0), 1) }
        for mark in stride(from: 0, through: -60, by: -12) {
            svg.append("rect", Self.box(Self.left, y(Double(mark)), Self.right - Self.left, 1, "grid"))
            svg.append(label: mark == 0 ? "0 LUFS" : "\(mark)", x: Self.left - 8, y: y(Double(mark)) + 4, "right")
        }
        for (points, style) in [(loudness.momentary, "momentary"), (loudness.shortTerm, "term")] {
            var path = ""
            var isDown = false
            for (index, byte) in points.enumerated() {
                guard let level = TakeCurves.loudness(ofByte: byte) else {
                    isDown = false
                    continue
                }
                let place = x((Double(index) + 0.5) * loudness.secondsPerPoint)
                path += "\(isDown ? "L" : "M")\(SVGText.number(place)) \(SVGText.number(y(level)))"
                isDown = true
            }
            svg.append("path", "class=\"\(style)\" d=\"\(path)\"")
        }
        guard let target = loudness.target else { return }
        let level = SVGText.number(y(target))
        let ends = "M\(SVGText.number(Self.left)) \(level)L\(SVGText.number(Self.right)) \(level)"
        svg.append("path", "class=\"target\" d=\"\(ends)\"")
    }

    /// An image of the cells, stretched, with the frequencies beside it.
    private mutating func drawSpectrogram(_ spectrogram: TakeCurves.SpectrogramBytes) {
        let (bands, height) = (spectrogram.bands, 170.0)
        guard bands > 0, spectrogram.cells.count >= bands, spectrogram.lowest < spectrogram.highest else { return }
        let count = spectrogram.cells.count / bands
        let cells = Array(spectrogram.cells)
        let pixels = (0..<bands).reversed().flatMap { band in (0..<count).map { cells[$0 * bands + band] } }
        let image = PNGImage(width: count, height: bands, palette: SpectrogramColors.palette, pixels: pixels)
        let top = advance(by: height)
        // The last column may reach beyond the end.
        let width = (Self.right - Self.left) * Double(count) * spectrogram.secondsPerColumn / take.seconds
        let place = Self.box(Self.left, top, width, height, "image")
        svg.append(clip: "plot", Self.box(Self.left, top, Self.right - Self.left, height, "clip"))
        svg.append(
            "image",
            "\(place) preserveAspectRatio=\"none\" clip-path=\"url(#plot)\" "
                + "href=\"data:image/png;base64,\(Data(image.bytes).base64EncodedString())\"")
        for mark in [50.0, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000] {
            guard (spectrogram.lowest...spectrogram.highest).contains(mark) else { continue }
            let part = log(mark / spectrogram.lowest) / log(spectrogram.highest / spectrogram.lowest)
            let text = mark < 1_000 ? "\(Int(mark)) Hz" : "\(Int(mark / 1_000)) kHz"
            svg.append(
                label: text, x: Self.left - 8,
                y: min(max(top + height * (1 - part), top + 6), top + height - 6) + 4, "right")
        }
    }
}
