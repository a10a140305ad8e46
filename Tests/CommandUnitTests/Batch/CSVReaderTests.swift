import Testing

@testable import AccrecCommands

@Suite struct CSVReaderTests {
    private func records(_ text: String) throws -> [Manifest.CSVReader.Record] {
        var reader = Manifest.CSVReader(text)
        var records: [Manifest.CSVReader.Record] = []
        while let record = try reader.next() { records.append(record) }
        return records
    }

    @Test(arguments: ["\n", "\r\n"])
    func readsStandardCSV(ending: String) throws {
        let text = "a,b,c\n\n\"x,1\",\"say \"\"no\"\"\",\n\"two\nlines\",é,z"
        let records = try records(text.replacing("\n", with: ending))
        #expect(records.map(\.line) == [1, 3, 4])
        #expect(
            records.map(\.fields) == [
                ["a", "b", "c"], ["x,1", "say \"no\"", ""], ["two\(ending)lines", "é", "z"],
            ])
    }

    @Test(arguments: [
        ("a\n\"x", 2, "missing closing quote"), ("a\n\nb\"c,d", 3, "must be quoted, and the quote doubled"),
        ("a\n\"x\"y", 2, "expected a comma"),
    ])
    func reportsTheLineOfAnError(text: String, line: Int, message: String) throws {
        let failure = try #require(throws: Manifest.CSVReader.Failure.self) { try records(text) }
        #expect(failure.line == line && failure.message.contains(message), "\(failure)")
    }
}
