import ArgumentParser

/// A command that goes on while its terminal is lent to others.
protocol JobCommand: AsyncParsableCommand {
    /// Runs it.
    ///
    /// - Parameter link: To the process in front of this one; nil where no terminal can stop it.
    func run(behind link: FrontLink?) async throws
}
