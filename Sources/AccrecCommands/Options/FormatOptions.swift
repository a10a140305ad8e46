import ACCAudioRecorder
import ArgumentParser

/// The form of a take.
struct FormatOptions: ParsableArguments {
    @Option(name: .shortAndLong, help: "What the take is for; decides what is not given.")
    var mode: ACCAudioRecorder.AudioSessionMode = .default

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "Frames a second, 8000 to 384000, or 'native'. (default: the mode's, 44100)", valueName: "hertz"),
        completion: .list(["native", "16000", "44100", "48000", "96000", "192000"]),
        transform: NumberOrNative.rate)
    var rate: NumberOrNative?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "Channels, 1 to 32, or 'native'. (default: as many as are selected, or the mode's, 1)", valueName: "count"),
        completion: .list(["native", "1", "2"]),
        transform: NumberOrNative.channels)
    var channels: NumberOrNative?

    @Option(help: "How a sample is stored; 'native' holds the source's samples. (default: the mode's, s16)")
    var encoding: EncodingArgument?

    @Option(
        name: .customLong("format"),
        help: "What the file is; otherwise its extension says it. 'accrec formats' tells of each.")
    var container: Container?

    @Option(
        name: .customLong("compression"),
        help: ArgumentHelp(
            "Compress FLAC (0 to 8), Vorbis, Opus (0 to 10) or MP3 (0 to 9) that hard; 0 is the largest file.",
            valueName: "level"))
    var level: Int?

    @Option(
        name: .customLong("bitrate"),
        help: ArgumentHelp("Kilobits a second of an MP3 or Opus file, for all channels.", valueName: "kbit/s"))
    var bitRate: Int?

    @Option(help: "How well the rate is converted. (default: the mode's, medium)")
    var quality: ResamplerQuality?

    @Flag(inversion: .prefixedNo, help: "Add dither where converted samples are rounded.")
    var dither = true

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Frames in a buffer, 16 to 65536. (default: the mode's, 4096)", valueName: "frames"),
        transform: { text in
            guard let count = Int(text), (16...65_536).contains(count) else {
                throw ValidationError("give a whole number from 16 to 65536")
            }
            return count
        })
    var bufferSize: Int?

    func validate() throws {
        if level != nil, bitRate != nil {
            throw ValidationError("--compression and --bitrate exclude each other")
        }
    }

    /// How hard to compress; nil for the format's default.
    var compression: Compression? { level.map(Compression.level) ?? bitRate.map(Compression.bitRate) }
}
