/// Draws a take as a picture in SVG: waveform with gaps, markers and findings, loudness, spectrogram, and a list of the places.
///
/// Text is left to the program that shows the picture, which has the fonts.
struct TakePicture {
    static let width = 1_000.0
    /// The plots are between these columns.
    static let left = 64.0
    static let right = width - 16
    private static let mostListed = 30
    /// What each picture has within its first kilobyte, and no other file.
    static let mark = "class=\"accrec-check\""

    let take: PageTake
    var svg = SVGText()
    /// Where the next part begins, in pixels from the top.
    private(set) var top = 0.0

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
    func x(_ seconds: Double) -> Double {
        Self.left + (Self.right - Self.left) * min(max(seconds / take.seconds, 0), 1)
    }

    /// Takes room for the next part.
    ///
    /// - Returns: Where it begins.
    mutating func advance(by height: Double) -> Double {
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
