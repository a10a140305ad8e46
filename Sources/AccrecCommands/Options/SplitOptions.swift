import ACCAudioRecorder
import ArgumentParser

/// Options for splitting a recording into several files.
struct SplitOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Start a new file at this interval, without losing a frame: 10m, 1h, 90s.", valueName: "time"),
        transform: { text in
            let length = try RecordingLength.parse(text)
            guard length.seconds >= SplittingPolicy.shortestInterval else {
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

    @Option(
        help: ArgumentHelp("Keep only this many files of each output, and delete older ones.", valueName: "count"),
        transform: { text in
            guard let count = Int(text), count >= 1 else { throw ValidationError("give a whole number, 1 or more") }
            return count
        })
    var keepLast: Int?

    /// Sets what these options decide of a recording.
    func apply(to configuration: inout ACCAudioRecorder.Configuration) {
        configuration.splitting = SplittingPolicy(
            interval: splitEvery?.seconds, isByClock: splitAtClock, fileSize: splitSize?.byteCount, filesKept: keepLast)
    }

    func validate() throws {
        if splitAtClock, splitEvery == nil {
            throw ValidationError("--split-at-clock needs --split-every")
        }
    }

    /// Rejects a number of files to keep where there is only one. Not part of `validate`, because a profile may have
    /// the one setting and the rest of the configuration file the other.
    func requireSplitting() throws {
        if keepLast != nil, splitEvery == nil, splitSize == nil {
            throw ValidationError("--keep-last needs --split-every or --split-size")
        }
    }
}

extension SplitOptions {
    /// A file size: a number of bytes, or of `K`, `M`, `G` or `T` (powers of 1024), or of `KB`, `MB`, `GB` or `TB`
    /// (powers of 1000).
    struct FileSize: Hashable {
        let byteCount: Int

        init?(_ argument: String) {
            let digits = argument.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
            guard let number = Double(digits), let factor = Self.factor(argument.dropFirst(digits.count)) else {
                return nil
            }
            let count = (number * factor).rounded()
            guard count >= Double(SplittingPolicy.smallestFile), count <= 0x1p62 else { return nil }
            byteCount = Int(count)
        }

        /// Parses the size.
        static func parse(_ text: String) throws -> FileSize {
            guard let size = FileSize(text) else {
                throw ValidationError("give a size of at least 64K, such as 500M, 650MB or 1G")
            }
            return size
        }

        private static func factor(_ unit: Substring) -> Double? {
            let prefixes = ["", "K", "M", "G", "T"]
            let unit = unit.uppercased()
            if let power = prefixes.firstIndex(of: unit)
                ?? prefixes.dropFirst().firstIndex(where: { "\($0)IB" == unit })
            {
                return (0..<power).reduce(1) { factor, _ in factor * 1024 }
            }
            guard let power = prefixes.firstIndex(where: { "\($0)B" == unit }) else { return nil }
            return (0..<power).reduce(1) { factor, _ in factor * 1000 }
        }
    }
}
