import Testing

@testable import AccrecCommands

@Suite struct TOMLDocumentTests {
    @Test func knowsTheLineOfEachKeyInWhateverFormItIsWritten() throws {
        let text = """
            # rate = 1

            rate = 48000
            select = [
              3, # max = 5
              4,
            ]
            device = \"\"\"
            encoding = 2
            \"\"\"
            "fill-gaps" = true
            profile.field.rate = 96000
            profile.inline = { rate = 1, max = 2 }

            [profile.podcast]

            rate = 32000
            """
        let lines: [(key: [String], line: Int)] = [
            (["rate"], 3), (["select"], 4), (["device"], 8), (["fill-gaps"], 11), (["profile"], 12),
            (["profile", "field", "rate"], 12), (["profile", "inline", "max"], 13), (["profile", "podcast"], 15),
            (["profile", "podcast", "rate"], 17),
        ]
        for ending in ["\n", "\r\n"] {
            let document = try TOMLDocument(text: text.replacing("\n", with: ending), path: "c.toml")
            for (key, line) in lines {
                #expect(document.place(of: key) == FilePlace(path: "c.toml", line: line), "\(key)")
            }
        }
    }
}
