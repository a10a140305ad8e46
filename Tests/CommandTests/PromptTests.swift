import Foundation
import TestSupport
import Testing

/// Prompted batches: texts that are shown and recorded in a terminal.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct PromptTests {
    private static let manifest = """
        [defaults]
        device = "room.monitor"
        rate = "native"
        channels = "native"

        [[take]]
        output = "one.wav"
        prompt = "The north wind and the sun were disputing which of them was the stronger, when a traveller came along."

        [[take]]
        output = "two.wav"
        prompt = "Zwei \\u001b[7m Zeichen."
        duration = 0.5

        [[take]]
        output = "three.wav"
        prompt = "Three."
        """

    private func keys(_ screen: [String]) -> String { screen.last ?? "" }

    @Test("Prompted takes are recorded, played, repeated, revisited, skipped and continued")
    func recordsWhatIsRead() async throws {
        try await TmuxTerminal.withAccrec { terminal, server in
            try server.write(Self.manifest, to: "m.toml")
            try await terminal.enter(
                "stty -g >before; accrec batch m.toml --prompt; echo status $? >status; stty -g >after")
            let text = try await terminal.waitForScreen("a text") { keys($0).hasPrefix("space records") }
            let place = try #require(text.firstIndex { $0.hasSuffix("1/3 one.wav") })
            #expect(text[place + 1].hasPrefix("    The north wind") && text[place + 1].count <= 80)
            #expect(text[place + 2].hasPrefix("    ") && text[place + 2].hasSuffix("came along."))

            try await terminal.press("Space")
            try await terminal.waitForRecording(of: 0.5)
            try await terminal.press("Enter")
            try await terminal.waitForScreen("the end") { keys($0).hasPrefix("space continues") }
            let first = try server.wav("one.wav")
            try await terminal.press("l")
            try await terminal.waitForScreen("a playback, or its end") { screen in
                screen.contains { $0.hasPrefix("any key stops playback") }
            }
            try await terminal.waitForScreen("its end") { keys($0).hasPrefix("space continues") }
            try await terminal.press("r")
            try await terminal.waitForScreen("the text again") { screen in
                screen.suffix(4).first?.hasSuffix("1/3 one.wav") == true
                    && keys(screen).hasPrefix("space records again")
            }
            try await terminal.press("Space")
            try await terminal.waitForRecording(of: 1)
            try await terminal.press("?")
            try await terminal.waitForScreen("the keys, and the meter below them") { screen in
                screen.count { $0 == "space ends the take  q ends it and quits" } == 3
                    && screen.last { $0.contains("REC") } != nil
            }
            try await terminal.press("Space")
            try await terminal.waitForScreen("the end") { keys($0).hasPrefix("space continues") }
            let second = try server.wav("one.wav")
            #expect(second.data != first.data)

            try await terminal.press("Space")
            let zwei = try await terminal.waitForScreen("the next text") { keys($0).hasPrefix("space records") }
            #expect(zwei.contains("    Zwei ?[7m Zeichen."))
            try await terminal.press("Space")
            try await terminal.waitForScreen("the end by itself") { keys($0).hasPrefix("space continues") }
            #expect(try server.wav("two.wav").frames == 24_000)
            try await terminal.press("b")
            try await terminal.waitForScreen("the first text again") { screen in
                screen.suffix(4).first?.hasSuffix("1/3 one.wav") == true && keys(screen).hasPrefix("space continues")
            }
            try await terminal.press("Space")
            try await terminal.waitForScreen("the third text") {
                $0.contains("    Three.") && keys($0).hasPrefix("space records")
            }
            try await terminal.press("q")
            #expect(try await terminal.end(on: server) == "status 1\n")

            let lines = try await BatchResult.all(on: server)
            #expect(lines.map(\.status) == ["recorded", "recorded", "recorded"])
            #expect(lines.map(\.attempts) == [1, 2, 1])
            #expect(lines[1].report?.frameCount == second.frames)

            try await terminal.enter("clear; accrec batch m.toml --prompt --continue; echo status $?")
            try await terminal.waitForScreen("what is missing") { $0.contains("    Three.") }
            try await terminal.press("s")
            let end = try await terminal.waitForScreen("the end") { $0.contains("status 0") }
            #expect(end.contains { $0.hasPrefix("accrec: 3 takes: 2 already complete, 1 skipped; ") })
            #expect(try await BatchResult.all(on: server).last?.status == "skipped")

            let defaults = Self.manifest.components(separatedBy: "[[take]]")[0]
            try server.write("\(defaults)[[take]]\noutput = \"two.wav\"\nduration = 0.5", to: "m.toml")
            try await terminal.enter("clear; accrec batch m.toml --prompt --continue; echo ended $?")
            // Not the end of the batch before, which may still be on the screen.
            let nothing = try await terminal.waitForScreen("the end of a batch that is complete") {
                $0.contains("ended 0")
            }
            #expect(nothing.contains { $0.hasPrefix("accrec: 1 take: 1 already complete; ") })
        }
    }
}
