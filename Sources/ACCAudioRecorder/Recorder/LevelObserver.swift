import FoundationEssentials

/// Who is told of the levels of a recording by the engine itself, and how often.
struct LevelObserver: Sendable {
    /// In seconds, not below 0.
    let interval: TimeInterval
    let observe: @Sendable (RecordingLevels) -> Void
}
