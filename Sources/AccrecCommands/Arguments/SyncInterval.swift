import ArgumentParser

/// How often a file is brought to its disk, as `--sync` takes it: a length of time, or `0` for never.
struct SyncInterval: Hashable {
    let seconds: Double

    /// The interval, for an option.
    static func parse(_ text: String) throws -> SyncInterval {
        if text == "0" { return SyncInterval(seconds: 0) }
        guard let length = TakeLength(text) else {
            throw ValidationError("give a length of time up to 1000 hours, such as 1, 0.5 or 1m, or 0 for never")
        }
        return SyncInterval(seconds: length.seconds)
    }
}
