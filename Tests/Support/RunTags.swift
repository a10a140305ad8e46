import Testing

/// How `scripts/run-tests` runs a test. Where a tag is used a comment says why, unless nothing of the suite is shared
/// between threads.
extension Tag {
    /// Runs alone: on a busy machine only larger losses are told from delays.
    @Tag public static var undisturbed: Self
    /// Takes some seconds of the processor: `make check` leaves it out, `make test` does not.
    @Tag public static var lengthy: Self
    /// Not run under the thread sanitiser.
    @Tag public static var skipsThreadSanitizer: Self
    /// Not run under the address sanitiser.
    @Tag public static var skipsAddressSanitizer: Self
}
