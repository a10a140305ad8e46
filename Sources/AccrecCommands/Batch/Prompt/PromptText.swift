/// What is shown of a take to whoever is recorded: which it is, its text, and what the keys do.
struct PromptText {
    let take: BatchTake
    /// How many takes the batch has.
    let count: Int
    let style: TerminalStyle

    /// Indented, and broken between words.
    func lines(columns: Int) -> [String] {
        // Texts are somebody else's, and may have several lines.
        let text = (take.prompt ?? "").split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let shown = DisplayWidth.printable(String(line), isUTF8: style.isUTF8)
            return WrappedText(lines: ["    " + shown], columns: columns, indent: 4).text.dropLast()
        }
        let ink = style.hasColor ? (Ink.strong.code, Ink.plain.code) : ("", "")
        let shown = take.prompt == nil ? [] : text.map { "\(ink.0)\($0)\(ink.1)" }
        return ["", OutcomeText.subject(take, of: count)] + shown
    }

    /// What the keys do.
    static func keys(in phase: PromptMachine.Phase) -> String? {
        switch phase {
        case .waiting: "space records  s leaves it out  b goes back  q quits"
        case .recording: "space ends the take"
        case .done: "space goes on  r records it again  l plays it  b goes back  q quits"
        case .listening: "any key ends the playback"
        case .over: nil
        }
    }
}
