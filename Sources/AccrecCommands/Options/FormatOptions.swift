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

    /// How a sample is stored; nil for what holds the source's samples.
    var sampleEncoding: SampleEncoding? {
        encoding.map(\.encoding) ?? mode.encoding
    }
}
