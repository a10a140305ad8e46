import ACCAudioRecorder
import ArgumentParser

/// Options for splitting a recording into several files.
struct SplitOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Start a new file at this interval, without losing a frame: 10m, 1h, 90s.", valueName: "time"),
        transform: { text in
            let length = try RecordingLength.parse(text)
            guard length.duration >= SplittingPolicy.shortestInterval else {
                throw ValidationError("give a length of at least 1 s, such as 90s, 10m or 1h")
            }
            return length
        })
    var splitEvery: RecordingLength?

    @Flag(
        inversion: .prefixedNo,
        help: "Align --split-every to the clock: with 1h, files start on the hour.")
    var splitAtClock = false

    @Option(
        help: ArgumentHelp(
            "Start a new file before the current one exceeds this size: 1G, 500M, 650MB.", valueName: "size"),
        transform: FileSize.parse)
    var splitSize: FileSize?

    /// Sets what these options decide of a recording.
    func apply(to configuration: inout ACCAudioRecorder.Configuration) {
        configuration.splitting = SplittingPolicy(
            interval: splitEvery?.duration, isByClock: splitAtClock, fileSize: splitSize?.byteCount)
    }

    /// Whether a recording begins new files by itself.
    var splits: Bool { splitEvery != nil || splitSize != nil }

    func validate() throws {
        if splitAtClock, splitEvery == nil {
            throw ValidationError("--split-at-clock needs --split-every")
        }
    }
}
