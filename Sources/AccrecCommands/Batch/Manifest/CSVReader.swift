/// Reads CSV records as in RFC 4180: quoted fields may contain commas, line breaks and doubled quotes. Lines may also
/// end with a bare line feed.
struct CSVReader {
    struct Record {
        /// The line where it begins, counted from 1.
        let line: Int
        let fields: [String]
    }

    /// Why a record cannot be read.
    struct Failure: Error {
        let line: Int
        let message: String
    }

    private var rest: Substring.UnicodeScalarView
    private var line = 1

    init(_ text: String) {
        rest = text.unicodeScalars[...]
    }

    /// The next record, or nil at the end. Skips empty lines.
    mutating func next() throws(Failure) -> Record? {
        while consumeLineEnding() {}
        guard !rest.isEmpty else { return nil }
        let first = line
        var fields = [try field()]
        while rest.first == "," {
            rest.removeFirst()
            fields.append(try field())
        }
        guard consumeLineEnding() || rest.isEmpty else {
            throw Failure(line: line, message: "expected a comma or the end of the line after a quoted field")
        }
        return Record(line: first, fields: fields)
    }

    /// Consumes a line ending, if there is one.
    private mutating func consumeLineEnding() -> Bool {
        if rest.starts(with: "\r\n".unicodeScalars) { rest.removeFirst() }
        guard rest.first == "\n" else { return false }
        rest.removeFirst()
        line += 1
        return true
    }

    private mutating func field() throws(Failure) -> String {
        if rest.first == "\"" { return try fieldInQuotes() }
        let field = rest.prefix { $0 != "," && $0 != "\n" }
        guard !field.contains("\"") else {
            throw Failure(line: line, message: "a field that contains a quote must be quoted, and the quote doubled")
        }
        rest = rest.dropFirst(field.count)
        // A carriage return before a line feed belongs to the line ending.
        guard field.last == "\r", rest.first == "\n" else { return String(field) }
        return String(field.dropLast())
    }

    private mutating func fieldInQuotes() throws(Failure) -> String {
        let first = line
        rest.removeFirst()
        var field = String.UnicodeScalarView()
        while let scalar = rest.popFirst() {
            if scalar == "\"" {
                guard rest.first == "\"" else { return String(field) }
                rest.removeFirst()
            } else if scalar == "\n" {
                line += 1
            }
            field.append(scalar)
        }
        throw Failure(line: first, message: "missing closing quote")
    }
}
