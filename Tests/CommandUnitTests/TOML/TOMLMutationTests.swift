import TestSupport
import Testing

@testable import AccrecCommands
@testable import TOML

/// Randomly damaged documents, which are either still TOML or result in an error with its position.
// The sanitisers make parsing slow, and it has one thread.
@Suite(.tags(.lengthy, .skipsThreadSanitizer, .skipsAddressSanitizer)) struct TOMLMutationTests {
    private static let documents = [
        """
        # A configuration.
        rate = 48_000
        select = [3, 4] # of the mixer
        date = 2026-11-21T18:30:00.5+01:00
        device.name = 'lark'
        [profile.podcast]
        mode = "spoken\\u002Daudio"
        comment = \"\"\"
        Two \\
          lines\"\"\"
        [profile.'field']
        tags = { mood = "calm", room.name = "hall" }
        """,
        """
        [defaults]
        rate = 0xBB80
        gain = -1.5e-3
        [[take]]
        output = ["a.wav", 'b.flac']
        start = 18:30
        list = [ [1, 2], [ { x = 1, y = inf } ] ]
        [[take.cue]]
        at = 1979-05-27 07:32:00
        [[take.cue]]
        [take.cue.where]
        text = '''
        raw'''
        [[take]]
        output = "c.wav"
        """,
    ]
    private static let pieces = [
        "[", "]", "[[", "]]", "{", "}", "=", ".", ",", "\"", "'", "\"\"\"", "'''", "\\", "\\u", "\\U0011", "#", "\n",
        "\r", "\r\n", "\t",
        "-", "+", "_", ":", "T", "Z", "e", "0x", "inf", "nan", "true", "1", "9999999999999999999", "2026-02-30", "é",
        "e\u{301}", "٢",
        "\u{0}", "\u{7F}", "\u{FEFF}", "\u{202E}", "😀", "[take]", "[[take]]", "a.b.c = 1\n", "rate = 1\n",
    ]
    private static let count = 100_000

    @Test func resultInAnErrorWithItsPositionOrAreTOML() {
        var random = SplitMix64(seed: 9)
        var failureCount = 0
        for _ in 0..<Self.count {
            let text = Self.mutant(&random)
            do throws(TOMLParser.Failure) {
                _ = try TOMLParser.table(of: text).entries.map { Manifest.Value($0.value) }
            } catch {
                failureCount += 1
                let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
                guard lines.indices.contains(error.line - 1),
                    (1...lines[error.line - 1].count + 1).contains(error.column)
                else {
                    Issue.record("\(error) of \(text)")
                    return
                }
            }
        }
        #expect(failureCount > Self.count / 2 && failureCount < Self.count)
    }

    /// A document with up to eight edits: a piece is inserted or replaces something, or something is deleted or
    /// duplicated.
    private static func mutant(_ random: inout SplitMix64) -> String {
        var text = Array(documents[Int.random(in: 0..<documents.count, using: &random)].unicodeScalars)
        for _ in 0..<Int.random(in: 1...8, using: &random) {
            let start = Int.random(in: 0...text.count, using: &random)
            let end = min(start + Int.random(in: 0...6, using: &random), text.count)
            let piece = Array(pieces[Int.random(in: 0..<pieces.count, using: &random)].unicodeScalars)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: text.insert(contentsOf: piece, at: start)
            case 1: text.replaceSubrange(start..<end, with: piece)
            case 2: text.removeSubrange(start..<end)
            default: text.insert(contentsOf: text[start..<end], at: end)
            }
        }
        return String(String.UnicodeScalarView(text))
    }
}
