/// Reads records of comma-separated values, as RFC 4180 has them: fields in quotes may have commas, quotes (doubled) and
/// ends of lines. Lines may end with a line feed alone.
struct CSVReader {
    struct Record {
        /// Where it begins, counted from 1.
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

    /// The next record; nil at the end. Empty lines are passed over.
    mutating func next() throws(Failure) -> Record? {
        while takeEndOfLine() {}
        guard !rest.isEmpty else { return nil }
        let first = line
        var fields = [try field()]
        while rest.first == "," {
            rest.removeFirst()
            fields.append(try field())
        }
        guard takeEndOfLine() || rest.isEmpty else {
            throw Failure(line: line, message: "after a field in quotes comes a comma or the end of the line")
        }
        return Record(line: first, fields: fields)
    }

    /// Takes an end of a line, where there is one.
    private mutating func takeEndOfLine() -> Bool {
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
            throw Failure(line: line, message: "a field with a quote in it stands in quotes, and the quote twice")
        }
        rest = rest.dropFirst(field.count)
        // The carriage return before the end of the line is a part of that.
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
        throw Failure(line: first, message: "the quote is not closed")
    }
}
