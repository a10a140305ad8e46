import ACCAudioRecorder
import ArgumentParser

/// When a take goes on in new files by itself.
struct SplitOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Go on in a new file after each 10m, 1h, 90s …, to the frame.", valueName: "time"),
        transform: TakeLength.parse)
    var splitEvery: TakeLength?

    @Flag(
        inversion: .prefixedNo,
        help: "Count --split-every from midnight, by the clock: 1h makes files that begin on the hour.")
    var splitAtClock = false

    @Option(
        help: ArgumentHelp("Go on in a new file before one exceeds 1G, 500M, 650MB …", valueName: "size"),
        transform: FileSize.parse)
    var splitSize: FileSize?

    @Option(
        help: ArgumentHelp("Keep only the last files of each output; older ones are removed.", valueName: "count"),
        transform: { text in
            guard let count = Int(text), count >= 1 else { throw ValidationError("give a whole number from 1 on") }
            return count
        })
    var keepLast: Int?

    /// What the library is asked for.
    var policy: SplittingPolicy {
        SplittingPolicy(
            interval: splitEvery?.seconds, isByClock: splitAtClock, fileSize: splitSize?.byteCount, filesKept: keepLast)
    }

    func validate() throws {
        if splitAtClock, splitEvery == nil {
            throw ValidationError("--split-at-clock needs --split-every, which says how long each file is.")
        }
    }
}
