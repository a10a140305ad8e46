import FoundationEssentials

extension TakePicture {
    private static let flagHeight = 20.0

    private static func laneHeight(of count: Int) -> Double { count <= 2 ? 92 : count <= 4 ? 60 : 34 }

    /// The labels of gaps and markers above the waveform, each as far as the next one.
    mutating func drawFlags() {
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

    mutating func drawWaveform(_ waveform: TakeCurves.WaveformBytes) {
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
    mutating func drawPlaces(from top: Double, lanes: Int) {
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

    static func box(_ x: Double, _ y: Double, _ width: Double, _ height: Double, _ style: String) -> String {
        let numbers = [("x", x), ("y", y), ("width", width), ("height", height)]
        return "class=\"\(style)\" " + numbers.map { "\($0)=\"\(SVGText.number($1))\"" }.joined(separator: " ")
    }
}
