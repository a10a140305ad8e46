import ArgumentParser

/// What an option takes that is one of a few words.
protocol ChoiceArgument: ExpressibleByArgument, CaseIterable, RawRepresentable<String> {}

extension ChoiceArgument {
    /// The words; the parser's own way to them, by key paths, takes a fifteenth of the time until the first frame.
    public static var allValueStrings: [String] { allCases.map { $0.rawValue } }
}
