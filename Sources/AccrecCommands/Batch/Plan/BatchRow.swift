/// The takes of a row of a manifest, which are made one after the other.
struct BatchRow: Sendable {
    let takes: [BatchTake]
    /// Before which none of them begins.
    let start: StartTime?
    /// Between two of them, in seconds.
    let pause: Double
}
