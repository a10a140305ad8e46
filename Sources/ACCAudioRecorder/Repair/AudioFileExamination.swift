/// What an audio file is, and what is the matter with it.
struct AudioFileExamination: Sendable, Hashable {
    /// The name of its format, for people.
    let format: String
    /// Frames a second, in Hz; nil where that is not looked at.
    var sampleRate: Int?
    /// Whole frames in it; nil where they are not counted.
    var frameCount: Int?
    /// Nothing for a file that is whole.
    var faults: [AudioFileFault] = []
    var mending: Mending

    /// Notes a fault, if there is one.
    mutating func note(_ fault: AudioFileFault, if isThere: Bool) {
        if isThere, !faults.contains(fault) { faults.append(fault) }
    }

    /// Looks at a file, and changes nothing.
    ///
    /// - Throws: `repairFailed` for a file of no known format, and for one that cannot be mended.
    init(of file: AudioFileReader) throws(ACCAudioRecorderError) {
        let start = try file.bytes(at: 0, count: 16)
        switch String(decoding: start.prefix(4), as: UTF8.self) {
        case "RIFF", "RF64": self = try WAVExamination(file).result
        case "riff" where start == W64Examination.riff: self = try W64Examination(file).result
        case "FORM": self = try AIFFExamination(file).result
        case "caff": self = try CAFExamination(file).result
        case "fLaC": self = try FLACExamination(file).result
        case "OggS": self = try OggExamination(file).result
        default:
            throw file.hopeless(
                "it is none of WAV, RF64, W64, AIFF, CAF, FLAC and Ogg",
                remedy: "Samples alone need no mending; other formats are not known here.")
        }
    }

    init(format: String, keeping byteCount: Int) {
        self.format = format
        mending = Mending(keptByteCount: byteCount)
    }
}
