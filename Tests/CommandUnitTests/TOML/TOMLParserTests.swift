import Testing

@testable import TOML

/// Parses the specification's own examples, and variations of them.
@Suite struct TOMLParserTests {
    private static let values: [(text: String, value: TOMLTable.Value)] = [
        ("\"\"", .text("")), ("\"a\\tb\\\\\\\"\\u00e9\\U0001F600\\e\\x41\"", .text("a\tb\\\"é😀\u{1B}A")),
        ("'C:\\x\"'", .text("C:\\x\"")), ("\"\"\"\"\"\"", .text("")),
        ("\"\"\"\nRoses\r\nare\"\"\"", .text("Roses\nare")),
        ("\"\"\"The quick \\\n\n   brown\\\\\n\"\"\"", .text("The quick brown\\\n")),
        ("\"\"\"\"a\"\"\"\"\"", .text("\"a\"\"")), ("\"\"\"a\"\"b\"\"\"", .text("a\"\"b")),
        ("'''\n'that' is\n'''", .text("'that' is\n")), ("'''a'''''", .text("a''")),
        ("0", .integer(0)), ("+99", .integer(99)), ("-0", .integer(0)), ("1_000", .integer(1_000)),
        ("0xDEAD_beef", .integer(0xDEAD_BEEF)), ("0o755", .integer(0o755)), ("0b1101", .integer(13)),
        ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
        ("1.0", .float(1)), ("-0.01", .float(-0.01)), ("5e+22", .float(5e22)), ("6.626e-34", .float(6.626e-34)),
        ("1e06", .float(1e6)), ("224_617.445_991", .float(224_617.445_991)), ("-inf", .float(-.infinity)),
        ("1e999", .float(.infinity)), ("true", .flag(true)), ("false", .flag(false)),
        ("1979-05-27T07:32:00Z", .time("1979-05-27T07:32:00Z")),
        ("1979-05-27 00:32:00.5-07:00", .time("1979-05-27T00:32:00.5-07:00")),
        ("1979-05-27t07:32z", .time("1979-05-27T07:32Z")), ("2024-02-29", .date("2024-02-29")),
        ("07:32:00", .time("07:32:00")), ("18:30", .time("18:30")), ("23:59:60", .time("23:59:60")),
        ("[]", .array([])), ("[ 1, 'a', [2,], ] # mixed", .array([.integer(1), .text("a"), .array([.integer(2)])])),
        ("[ # one\n 1 # two\n , # three\n]", .array([.integer(1)])),
        ("{}", .table(TOMLTable(line: 1, entries: []))),
    ]

    @Test func readsValues() throws {
        for (text, value) in Self.values {
            for ending in ["", "\n", " \t# comment\r\n"] {
                #expect(try TOMLParser.table(of: "a =\t" + text + ending)["a"]?.value == value, "\(text)")
            }
        }
        let value = try TOMLParser.table(of: "a = nan")["a"]?.value
        if case .float(let number)? = value { #expect(number.isNaN) } else { Issue.record("nan is no number") }
    }

    /// A document, and its keys in order, each with its line.
    private static let documents: [(text: String, keys: [String])] = [
        ("", []), ("\n# only\n\t# comments", []),
        ("a.b.c = 1\na.\"d.e\" . 'f' = 2", ["1 a", "1 a/b", "1 a/b/c", "2 a/d.e", "2 a/d.e/f"]),
        ("1234 = 1\n\"\" = 2\n'ʎ' = 3", ["1 1234", "2 ", "3 ʎ"]),
        ("3.14 = 'pi'", ["1 3", "1 3/14"]),
        ("[a.b]\nc = 1\n[a]\nd = 2", ["1 a", "1 a/b", "2 a/b/c", "4 a/d"]),
        ("[ a . 'b' ] # header\nc = 1", ["1 a", "1 a/b", "2 a/b/c"]),
        (
            "[f]\napple.color = 1\n[f.apple.taste]\nx = 1",
            ["1 f", "2 f/apple", "2 f/apple/color", "3 f/apple/taste", "4 f/apple/taste/x"]
        ),
        (
            "[[a]]\nx = 1\n[[a.b]]\ny = 1\n[[a.b]]\n[a.c]\n[[a]]\nx = 2",
            [
                "1 a", "2 a/0/x", "3 a/0/b", "4 a/0/b/0/y", "6 a/0/c", "8 a/1/x",
            ]
        ),
        (
            "a = { b = 1, c.d = 2,\n # more\n e = [ { f = 1 } ],\n}",
            ["1 a", "1 a/b", "1 a/c", "1 a/c/d", "3 a/e", "3 a/e/0/f"]
        ),
        (
            "\n# rate = 1\nrate = 48000\nselect = [\n  3, # max = 5\n  4,\n]\ndevice = \"\"\"\nencoding = 2\n\"\"\"\n"
                + "\"fill-gaps\" = true\nprofile.field.rate = 96000\n[profile.podcast]\n\nrate = 32000",
            [
                "3 rate", "4 select", "8 device", "11 fill-gaps", "12 profile", "12 profile/field",
                "12 profile/field/rate", "13 profile/podcast", "15 profile/podcast/rate",
            ]
        ),
    ]

    @Test func knowsTheLineOfEachKeyInAnyNotation() throws {
        for (text, keys) in Self.documents {
            for ending in ["\n", "\r\n"] {
                let table = try TOMLParser.table(of: text.replacing("\n", with: ending))
                #expect(Self.keys(of: table) == keys, "\(text)")
            }
        }
        let elements = try TOMLParser.table(of: "\n[[a]]\n[[a]]\nb = 1")["a"]?.value
        let expected: [TOMLTable] = [
            TOMLTable(line: 2, entries: []),
            TOMLTable(line: 3, entries: [.init(key: "b", value: .integer(1), line: 4)]),
        ]
        #expect(elements == .array(expected.map(TOMLTable.Value.table)))
    }

    private static func keys(of table: TOMLTable, at path: String = "") -> [String] {
        table.entries.flatMap { entry in
            ["\(entry.line) \(path)\(entry.key)"] + keys(of: entry.value, at: "\(path)\(entry.key)/")
        }
    }

    private static func keys(of value: TOMLTable.Value, at path: String) -> [String] {
        switch value {
        case .table(let table): keys(of: table, at: path)
        case .array(let values): values.enumerated().flatMap { keys(of: $1, at: "\(path)\($0)/") }
        default: []
        }
    }

    /// Invalid documents, with the line and column of the error.
    private static let mistakes: [(text: String, place: String)] = [
        // These crashed an earlier parser.
        ("[", "1:2"), ("[[[", "1:3"), ("t=[}", "1:4"), ("t=2026-11-21T:", "1:3"),
        // Keys.
        ("= 1", "1:1"), ("a", "1:2"), ("a b = 1", "1:3"), ("a.\n= 1", "1:3"), (".a = 1", "1:1"), ("a..b = 1", "1:3"),
        ("é = 1", "1:1"), ("\"a = 1", "1:1"), ("\"\"\"a\"\"\" = 1", "1:3"), ("a = 1 b = 2", "1:7"), ("a =\n1", "1:4"),
        ("a = 1\na = 2", "2:1"), ("a = 1\n\"a\" = 2", "2:1"), ("é = 1", "1:1"), ("'é' = 1\n'e\u{301}' = 2", "2:1"),
        ("a.b = 1\na.b.c = 2", "2:1"), ("a = {}\na.b = 1", "2:1"), ("a = []\n[[a]]", "2:3"),
        ("a = { b = 1 }\n[a.b]", "2:2"),
        // Tables.
        ("[]", "1:2"), ("[a", "1:3"), ("[a]]", "1:4"), ("[[a]", "1:4"), ("[ [a]]", "1:3"), ("[a] b = 1", "1:5"),
        ("[a.]", "1:4"), ("[a]\n[a]", "2:2"), ("[a.b]\n[a]\n[a]", "3:2"), ("[[a]]\n[a]", "2:2"), ("[a]\n[[a]]", "2:3"),
        ("a.b = 1\n[a]", "2:2"), ("[a]\nb.c = 1\n[a.b]", "3:2"), ("[a.b.c]\nz = 9\n[a]\nb.c.t = 1", "4:1"),
        ("[[a.b]]\n[a]\nb.y = 2", "3:1"), ("[a]\nb = 1\n[a.b]", "3:2"), ("a = 1\n[a.b]", "2:2"),
        // Strings.
        ("a = \"b", "1:5"), ("a = 'b\n'", "1:5"), ("a = \"\"\"b\n\"\"", "1:5"), ("a = \"\\q\"", "1:6"),
        ("a = \"\\u12\"", "1:6"),
        ("a = \"\\ud800\"", "1:6"), ("a = \"\\U00110000\"", "1:6"), ("a = \"\\UFFFFFFFF\"", "1:6"),
        ("a = \"\u{1}\"", "1:6"),
        ("a = \"\u{7F}\"", "1:6"), ("a = '''\r'''", "1:8"), ("a = \"\"\"\"\"\"\"\"\"", "1:13"),
        ("a = \"\"\"\\ x\"\"\"", "1:8"),
        ("# \u{0}", "1:3"), ("a = 1\r", "1:6"), ("# a\rb = 1", "1:4"), ("\u{FEFF}a = 1", "1:1"),
        // Numbers, dates and times.
        ("a = 01", "1:5"), ("a = +0x1", "1:5"), ("a = 0x", "1:5"), ("a = 0xg", "1:5"), ("a = 0X1", "1:5"),
        ("a = 1_", "1:5"),
        ("a = 1__2", "1:5"), ("a = _1", "1:5"), ("a = 1._2", "1:5"), ("a = .5", "1:5"), ("a = 5.", "1:5"),
        ("a = 1e", "1:5"),
        ("a = 1.e2", "1:5"), ("a = 9223372036854775808", "1:5"), ("a = 0x8000000000000000", "1:5"), ("a = ++1", "1:5"),
        ("a = Inf", "1:5"), ("a = True", "1:5"), ("a = ٢", "1:5"), ("a = 1٢", "1:6"), ("a = 2026-13-01", "1:5"),
        ("a = 2026-02-29", "1:5"), ("a = 1900-02-29", "1:5"), ("a = 2026-1-01", "1:5"), ("a = 24:00:00", "1:5"),
        ("a = 12:60", "1:5"),
        ("a = 12:00:61", "1:5"), ("a = 12:00:00.", "1:5"), ("a = 1:00", "1:5"), ("a = 12:00Z", "1:5"),
        ("a = 2026-11-21T", "1:5"),
        ("a = 2026-11-21T12:00+99:99", "1:5"), ("a = 2026-11-21 12", "1:5"), ("a = 2026-11-21T12:00+0100", "1:5"),
        // Brackets.
        ("a = [1 2]", "1:8"), ("a = [", "1:5"), ("a = [1,,2]", "1:8"), ("a = [,]", "1:6"), ("a = {b = 1", "1:5"),
        ("a = {b}", "1:7"),
        ("a = {b = 1 c = 2}", "1:12"), ("a = {,}", "1:6"), ("a = {b = 1, b = 2}", "1:13"),
        ("a = {b = 1, b.c = 2}", "1:13"),
        ("a = [1]]", "1:8"), ("a = }", "1:5"),
    ]

    @Test func errorsHaveTheirPosition() {
        for (text, place) in Self.mistakes {
            let failure = #expect(throws: TOMLParser.Failure.self, "\(text)") { try TOMLParser.table(of: text) }
            #expect(failure.map { "\($0.line):\($0.column)" } == place, "\(text): \(failure?.cause ?? "")")
        }
    }

    @Test func nestingIsBounded() throws {
        func nested(_ count: Int) -> [String] {
            [
                Array(repeating: "a", count: count).joined(separator: ".") + " = 1",
                "[" + Array(repeating: "a", count: count).joined(separator: ".") + "]",
                "a = " + String(repeating: "[", count: count) + String(repeating: "]", count: count),
                "a = " + String(repeating: "{ a = ", count: count) + "1" + String(repeating: "}", count: count),
            ]
        }
        for text in nested(TOMLParser.deepest - 1) { _ = try TOMLParser.table(of: text) }
        for text in nested(20_000) + ["a = " + String(repeating: "[", count: 1_000_000)] {
            let failure = #expect(throws: TOMLParser.Failure.self) { try TOMLParser.table(of: text) }
            #expect(failure?.line == 1 && failure?.cause.contains("more than 64 levels") == true)
        }
    }
}
