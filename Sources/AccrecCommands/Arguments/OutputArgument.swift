import ACCAudioRecorder
import ArgumentParser

/// An output as `--output` takes it: where it goes, and perhaps what it has of its own, as in
/// `speech.flac,rate=16000,channels=1`.
struct OutputArgument {
    /// A path, a pattern, or `-` for standard output.
    var place: String
    private(set) var rate: NumberOrNative?
    private(set) var channels: NumberOrNative?
    private(set) var encoding: EncodingArgument?
    private(set) var dither: Bool?
    private(set) var container: Container?
    private(set) var compression: Compression?

    /// What may be set.
    private enum Key: String, CaseIterable {
        case rate, channels, encoding, dither, format, compression, bitrate
    }

    /// - Throws: A `ValidationError` for a setting that there is not.
    init(_ argument: String) throws {
        // A name may have commas; what looks like a setting at its end is one.
        let parts = argument.split(separator: ",", omittingEmptySubsequences: false)
        let settings = parts.suffix(parts.dropFirst().reversed().prefix(while: Self.isSetting).count)
        place = parts.dropLast(settings.count).joined(separator: ",")
        guard !place.isEmpty else { throw ValidationError("name a file, or '-' for standard output") }
        for setting in settings {
            let parts = setting.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard let key = Key(rawValue: parts[0]) else {
                let names = Key.allCases.map(\.rawValue)
                let hint = NearestWord.to(parts[0], among: names).map { " Did you mean '\($0)'?" } ?? ""
                throw ValidationError(
                    "an output has no '\(parts[0])'; it has \(names.joined(separator: ", ")).\(hint)")
            }
            try set(key, to: parts[1])
        }
    }

    private static func isSetting(_ part: Substring) -> Bool {
        guard let equals = part.firstIndex(of: "="), equals > part.startIndex else { return false }
        return part[..<equals].allSatisfy { $0 == "-" || $0.isASCII && $0.isLetter }
    }

    private mutating func set(_ value: String, _ compression: (Int) -> Compression) throws {
        guard let number = Int(value) else { throw ValidationError("give a whole number instead of '\(value)'") }
        guard self.compression == nil else {
            throw ValidationError("compression and bitrate exclude each other")
        }
        self.compression = compression(number)
    }

    private mutating func set(_ key: Key, to value: String) throws {
        switch key {
        case .rate: rate = try NumberOrNative.rate(value)
        case .channels: channels = try NumberOrNative.channels(value)
        case .encoding:
            encoding = EncodingArgument(rawValue: value)
            guard encoding != nil else {
                let known = EncodingArgument.allCases.map(\.rawValue).joined(separator: ", ")
                throw ValidationError("there is no encoding '\(value)'; give one of \(known)")
            }
        case .dither:
            guard ["yes", "no"].contains(value) else { throw ValidationError("give dither=yes or dither=no") }
            dither = value == "yes"
        case .format:
            container = Container(rawValue: value)
            guard container != nil else {
                let known = Container.allCases.map(\.rawValue).joined(separator: ", ")
                throw ValidationError("there is no format '\(value)'; give one of \(known)")
            }
        case .compression: try set(value, Compression.level)
        case .bitrate: try set(value, Compression.bitRate)
        }
    }
}
