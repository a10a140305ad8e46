/// The words of a command line that a shell is completing.
struct CompletedWords {
    let words: [String]

    /// What an option is given there, as `--option value` or `--option=value`; nil where it is not given.
    func value(of option: String) -> String? {
        for (index, word) in words.enumerated() {
            if word == option { return words.dropFirst(index + 1).first }
            if word.hasPrefix("\(option)=") { return String(word.dropFirst(option.count + 1)) }
        }
        return nil
    }
}
