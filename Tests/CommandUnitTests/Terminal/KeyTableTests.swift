import Testing

@testable import AccrecCommands

@Suite struct KeyTableTests {
    @Test("Letters are keys in either case, and a sequence is one key, which the next follows")
    func areReadFromBytes() {
        #expect(KeyPress.presses(in: Array("mM \r".utf8)) == ["m", "m", " ", "\r"])
        #expect(KeyPress.presses(in: "\u{1B}[C\u{1B}OCq".utf8) == ["\u{1B}[C", "\u{1B}[C", "q"])
        #expect(KeyPress.presses(in: "\u{1B}[3~p".utf8) == ["\u{1B}[3~", "p"])
    }

    @Test("A key whose last byte is a letter is not that letter, also where it is cut off or no text")
    func sequencesAreNoLetters() {
        #expect(KeyPress.presses(in: "\u{1B}Os".utf8) == ["\u{1B}[s"])
        #expect(KeyPress.presses(in: "\u{1B}d".utf8) == ["\u{1B}"])
        #expect(KeyPress.presses(in: "\u{1B}".utf8) == ["\u{1B}"])
        #expect(KeyPress.presses(in: "\u{1B}[".utf8) == ["\u{1B}["])
        #expect(KeyPress.presses(in: [0xFF, 0x1B, 0x5B, 0xFF, 0x48]) == ["\u{FF}", "\u{1B}[\u{FF}H"])
    }

    @Test("A table without any other key leaves that and the end of the input alone")
    func keysWithoutMeaning() {
        let keys = [KeyTable<Int>.Key("a", "b", does: 1, help: "one"), .init("c", does: 2)]
        let table = KeyTable(keys)
        #expect(["a", "b", "c", "d", .end].map { table[$0] } == [1, 1, 2, nil, nil])
        #expect(table.helpTexts == ["a one"])
        let whole = KeyTable(keys + [.init(named: "any other key", does: 3, help: "three")])
        #expect(["a", "d", .end].map { whole[$0] } == [1, 3, 3])
        #expect(whole.helpTexts == ["a one", "any other key three"])
    }
}
