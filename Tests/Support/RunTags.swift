import Testing

/// How `scripts/run-tests` runs a test. Where a tag is used a comment says why.
extension Tag {
    /// Runs with at most one other test beside it: a server that is kept from its work drops audio of its own.
    @Tag public static var undisturbed: Self
    /// Not run under the thread sanitiser.
    @Tag public static var skipsThreadSanitizer: Self
    /// Not run under the address sanitiser.
    @Tag public static var skipsAddressSanitizer: Self
}
