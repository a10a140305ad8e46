/// Tells the subscribers of a recording when its source goes, and when it comes back under its name.
enum SourceWatch {
    /// Watches until the task is cancelled.
    ///
    /// - Parameter control: The connection that found the source; kept for as long as the watch lasts.
    static func start(
        on source: AudioSource, control: PulseControl, broadcast: RecordingBroadcast
    ) async throws(PulseFailure) -> Task<Void, Never> {
        let changes = try await control.sourceChanges()
        return Task {
            var source = source
            var isLost = false
            for await change in changes {
                switch change {
                case .removed(let index) where index == source.id:
                    isLost = true
                    broadcast.events.send(.deviceLost(source))
                case .added(let index) where isLost:
                    // A server that does not answer has broken, which the capture notices by itself.
                    guard let returned = try? await control.source(index: index, named: source.name) else { continue }
                    source = returned
                    isLost = false
                    broadcast.events.send(.deviceReturned(returned))
                case .added, .removed:
                    continue
                }
            }
        }
    }
}
