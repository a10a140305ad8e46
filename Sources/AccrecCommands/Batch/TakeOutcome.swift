import ACCAudioRecorder

/// What became of a take, or of an attempt at it.
struct TakeOutcome: Sendable {
    let status: ResultRecord.Status
    /// Why it failed.
    var message: String?
    /// Nil where nothing was recorded.
    var report: RecordingReport?
}
