import ArgumentParser

extension NameSpecification {
    /// A letter, whose value may follow without a space as in `-c2`, and the long name.
    static func longAndJoined(_ letter: Character) -> NameSpecification {
        [.customShort(letter, allowingJoined: true), .long]
    }
}
