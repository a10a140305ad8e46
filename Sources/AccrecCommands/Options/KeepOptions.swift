import ACCAudioRecorder
import ArgumentParser

/// Options that bound what an endless recording, or one recording after another, leaves on the disk.
struct KeepOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Keep this many files of each output, and delete older ones, also those of earlier recordings with the same name or pattern.",
            valueName: "count"),
        transform: { text in
            guard let count = Int(text), count >= 1 else { throw ValidationError("give a whole number, 1 or more") }
            return count
        })
    var keepLast: Int?

    @Option(
        help: ArgumentHelp(
            "Delete such files once they are older than this: 12h, 7d, 90d.", valueName: "time"),
        transform: { text in
            guard let seconds = RecordingLength.seconds(text), seconds >= 1, seconds <= Self.longestAge else {
                throw ValidationError("give a length of time from 1 s to 100 years, such as 12h, 7d or 90d")
            }
            return Duration.seconds(seconds)
        })
    var keepFor: Duration?

    @Option(
        help: ArgumentHelp(
            "Delete the oldest of such files once all together are larger than this: 50G, 500M.", valueName: "size"),
        transform: FileSize.parse)
    var keepSize: FileSize?

    private static let longestAge = 100 * 366 * 86_400.0

    /// Sets what these options decide of a recording.
    func apply(to configuration: inout ACCAudioRecorder.Configuration) {
        configuration.retention = policy
    }

    private var policy: RetentionPolicy {
        RetentionPolicy(fileCount: keepLast, age: keepFor, byteCount: keepSize?.byteCount)
    }

    /// Rejects a bound where there is only one file ever. Not part of `validate`, because a profile may have the one setting
    /// and the rest of the configuration file the other.
    ///
    /// - Parameter splits: Whether a recording begins new files by itself.
    func check(_ outputs: [RecordingOutput], splits: Bool) throws {
        let given: RetentionPolicy.Bound? =
            keepLast != nil ? .count : keepFor != nil ? .age : keepSize != nil ? .size : nil
        guard let given, !splits else { return }
        let varies = outputs.contains { output in
            if case .pattern(let pattern) = output.destination { pattern.varies } else { false }
        }
        guard !varies else { return }
        throw ValidationError(
            "\(given.option) needs --split-every or --split-size, or a name that is another one each time, such as "
                + "'log-%F_%H-%M.flac' or 'log-{n}.flac'")
    }
}
