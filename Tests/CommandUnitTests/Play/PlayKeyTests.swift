import ACCAudioRecorder
import Testing

@testable import AccrecCommands

@Suite struct PlayKeyTests {
    @Test(
        "Arrow, Home and End keys are known as xterm, rxvt and the Linux console send them",
        arguments: [
            ("\u{1B}[C", [PlayKey.go(.here(5))]), ("\u{1B}OC", [.go(.here(5))]), ("\u{1B}[D", [.go(.here(-5))]),
            ("\u{1B}[A", [.go(.here(60))]), ("\u{1B}[B", [.go(.here(-60))]), ("><", [.go(.here(60)), .go(.here(-60))]),
            ("\u{1B}[H", [.go(.start(0))]), ("\u{1B}[1~", [.go(.start(0))]), ("\u{1B}[7~", [.go(.start(0))]),
            ("\u{1B}[F", [.go(.end(5))]), ("\u{1B}[4~", [.go(.end(5))]), ("\u{1B}[8~", [.go(.end(5))]),
            ("\u{1B}[C\u{1B}[C q", [.go(.here(5)), .go(.here(5)), .pause, .stop]),
        ])
    func placesToGo(typed: String, keys: [PlayKey]) {
        #expect(PlayKey.keys(in: typed.utf8) == keys)
    }

    @Test("Other sequences are one key that does nothing, also where they are cut off")
    func otherSequences() {
        #expect(PlayKey.keys(in: "\u{1B}[1;5C".utf8) == [.other])
        #expect(PlayKey.keys(in: "\u{1B}[3~p".utf8) == [.other, .pause])
        #expect(PlayKey.keys(in: "\u{1B}".utf8) == [.other])
        #expect(PlayKey.keys(in: "\u{1B}[".utf8) == [.other])
        #expect(PlayKey.keys(in: [0xFF, 0x1B, 0x5B, 0xFF, 0x48]) == [.other, .other])
    }
}
