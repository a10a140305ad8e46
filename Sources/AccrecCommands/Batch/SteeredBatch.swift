/// The course of a batch, which signals steer.
protocol SteeredBatch: Actor {
    /// Records what there is to record, and says how many takes became what.
    func run() async -> BatchTally
    /// Ends what runs, and begins nothing more.
    func end() async
    /// Leaves the terminal to others.
    func leaveTerminal() async
    /// The terminal may be ours again.
    func takeTerminal() async
    func windowChanged() async
}
