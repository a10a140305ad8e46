import Testing

extension Tag {
    /// Runs with no other test beside it (`scripts/run-tests`): a server that is kept from its work drops audio of its own.
    @Tag public static var alone: Self
}
