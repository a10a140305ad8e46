/// A program and its arguments, written as in a shell: words apart by spaces, which quotes or a backslash keep together.
/// Nothing else is expanded.
struct ProgramLine: Hashable, Sendable {
    let program: String
    let arguments: [String]

    /// Nil if it is empty or a quotation is not closed.
    init?(_ text: String) {
        var words: [String] = []
        // Nil between two words.
        var word: String?
        var quote: Character?
        var rest = text[...]
        while let character = rest.popFirst() {
            if character == quote {
                quote = nil
            } else if character == "\\", quote != "'", let next = rest.popFirst() {
                word = (word ?? "") + String(next)
            } else if quote == nil, character == "'" || character == "\"" {
                quote = character
                word = word ?? ""
            } else if quote == nil, character.isWhitespace {
                if let word { words.append(word) }
                word = nil
            } else {
                word = (word ?? "") + String(character)
            }
        }
        if let word { words.append(word) }
        guard quote == nil, let program = words.first, !program.isEmpty else { return nil }
        self.program = program
        arguments = Array(words.dropFirst())
    }
}
