/// The current watch of a recording's source (each opening has its own), and the processing steps that all watches have
/// found.
struct FollowedSource {
    /// Nil if nothing is watched.
    private(set) var watch: SourceWatch?
    private var watching: Task<Void, Never>?
    /// How many watches there were, with the current one.
    private(set) var watchNumber = 0
    /// The server's processing steps, as seen by the watches that have ended.
    private(set) var processingSteps: [ProcessingStep] = []

    /// The processing steps, including those seen by the current watch.
    var allProcessingSteps: [ProcessingStep] {
        let found = watch?.processingSteps ?? []
        return processingSteps + found.filter { !processingSteps.contains($0) }
    }

    /// Replaces the watch.
    mutating func follow(by watch: SourceWatch, _ watching: Task<Void, Never>) {
        stop()
        self.watch = watch
        self.watching = watching
        watchNumber += 1
    }

    /// Ends the watch.
    mutating func stop() {
        watching?.cancel()
        processingSteps = allProcessingSteps
        watch = nil
    }
}
