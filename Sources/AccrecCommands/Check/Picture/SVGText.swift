import ACCAudioRecorder

/// Builds an SVG document, element by element.
struct SVGText {
    private(set) var text = ""

    /// Appends an element. Content becomes text, whatever it is.
    ///
    /// - Parameters:
    ///   - attributes: Their values are written by this program, and never come from a file.
    ///   - tip: What a browser shows when the pointer is on the element.
    mutating func append(_ name: String, _ attributes: String, content: String = "", tip: String? = nil) {
        let tip = tip.map { "<title>\(Self.escaped($0))</title>" } ?? ""
        let inner = tip + Self.escaped(content)
        text += inner.isEmpty ? "<\(name) \(attributes)/>\n" : "<\(name) \(attributes)>\(inner)</\(name)>\n"
    }

    /// Appends a rectangle outside of which nothing is drawn of an element with this `clip-path`.
    mutating func append(clip name: String, _ attributes: String) {
        text += "<clipPath id=\"\(name)\"><rect \(attributes)/></clipPath>\n"
    }

    /// Appends a line of text.
    ///
    /// - Parameter room: The width that it may take in pixels: a longer text is shortened, by the mean width of a letter.
    mutating func append(label: String, x: Double, y: Double, _ style: String, room: Double = .infinity) {
        let letters = room.isFinite ? Int(max(room, 0) / Self.letterWidth) : Int.max
        let shown = label.count <= letters ? label : String(label.prefix(max(letters - 1, 0))) + "…"
        guard letters > 1, !label.isEmpty else { return }
        append("text", "class=\"\(style)\" x=\"\(Self.number(x))\" y=\"\(Self.number(y))\"", content: shown)
    }

    /// Of the small text, in pixels.
    private static let letterWidth = 6.2

    /// With at most one digit behind the point.
    static func number(_ value: Double) -> String {
        let tenths = Int((min(max(value, -1e6), 1e6) * 10).rounded())
        let sign = tenths < 0 ? "-" : ""
        return sign + String(abs(tenths) / 10) + (tenths % 10 == 0 ? "" : ".\(abs(tenths) % 10)")
    }

    /// The text with entities for the characters of markup, and question marks for unprintable ones, which XML has not.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for character in PrintableText.line(text).unicodeScalars {
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }
}
