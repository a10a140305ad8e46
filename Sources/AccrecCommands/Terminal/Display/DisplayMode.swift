/// How a take is shown while it runs.
enum DisplayMode {
    /// The meter, on a terminal.
    case meter
    /// A line every few seconds.
    case progress
    /// Messages only.
    case messages
}
