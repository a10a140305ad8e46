/// The watch over the source of a recording, which is another one for each opening, and what all of them have found.
struct FollowedSource {
    /// Nil where nothing is watched.
    private(set) var watch: SourceWatch?
    private var watching: Task<Void, Never>?
    /// What the server did to the samples, as far as the watches that have ended have seen.
    private(set) var alterations: [Alteration] = []

    /// The same, with what the present watch has seen.
    var allAlterations: [Alteration] {
        let found = watch?.alterations ?? []
        return alterations + found.filter { !alterations.contains($0) }
    }

    /// Goes on with another watch.
    mutating func follow(by watch: SourceWatch, _ watching: Task<Void, Never>) {
        stop()
        self.watch = watch
        self.watching = watching
    }

    /// Ends the watch.
    mutating func stop() {
        watching?.cancel()
        alterations = allAlterations
        watch = nil
    }
}
