import Testing

@testable import AccrecCommands

@Suite struct KeyTests {
    @Test func areReadFromBytes() {
        #expect(
            Key.keys(in: Array(" msdrq?yc".utf8))
                == [.pause, .mark, .split, .discard, .reset, .finish, .help, .yes, .current])
        #expect(Key.keys(in: Array("x".utf8)) == [.other])
    }

    @Test("An arrow key, whose last byte is a letter, is not one of our keys")
    func sequencesAreNoKeys() {
        #expect(Key.keys(in: Array("m\u{1B}[D".utf8)) == [.mark, .other])
        #expect(Key.keys(in: Array("\u{1B}Os".utf8)) == [.other])
    }
}
