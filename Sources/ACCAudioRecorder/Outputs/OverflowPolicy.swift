/// What becomes of an output that is behind by more than may wait for it.
public enum OverflowPolicy: String, Sendable, Hashable, CaseIterable {
    /// More and more waits for it, in memory, for as long as there is any.
    case wait
    /// What there is no room for is lost for this output, and reported in its place.
    case drop
    /// The output ends; what was written is kept, and the other outputs go on.
    case stop
}
