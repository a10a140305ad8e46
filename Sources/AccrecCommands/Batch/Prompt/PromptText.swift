import ACCAudioRecorder

/// What the person who is recorded sees of a take: its number, its text, and the keys.
struct PromptText {
    let take: BatchTake
    /// The number of takes in the batch.
    let count: Int
    let style: TerminalStyle

    /// The indentation of the text, in columns.
    static let indent = 4

    /// The number and name of the take.
    var heading: [String] { ["", OutcomeText.subject(take, of: count)] }

    /// The lines of the prompt; empty if it has none.
    var lines: [String] {
        guard let prompt = take.prompt else { return [] }
        return prompt.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            String(repeating: " ", count: Self.indent) + PrintableText.line(String(line), isUTF8: style.isUTF8)
        }
    }

    var ink: Ink { style.hasColor ? .strong : .plain }

    /// A description of the keys, or nil if there is nothing left to do.
    static func keys(in phase: PromptMachine.Phase) -> String? {
        switch phase {
        case .waiting: "space records  s skips  b goes back  q quits"
        case .recording: "space ends the take"
        case .done: "space continues  r records again  l plays  b goes back  q quits"
        case .listening: "any key stops playback"
        case .over: nil
        }
    }
}
