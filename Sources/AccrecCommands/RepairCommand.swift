import ACCAudioRecorder
import ArgumentParser

/// `accrec repair`: mends what a crash, a full disk or a power cut left behind.
struct RepairCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "repair",
        abstract: "Mend a file whose recording did not come to its end.",
        discussion: """
            The header of a WAV, RF64, W64, AIFF, CAF, FLAC or Ogg file is made to tell how long it is, and what is there \
            of a last frame or page is left out. All other samples stay as they are. The file itself is not touched but \
            with --in-place, and left alone where it is whole.
            """)

    @Argument(help: "The file, of any recorder.", completion: .file())
    var file: String

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "The file to create. (default: the same name with '-repaired')", valueName: "file"),
        completion: .file())
    var output: String?

    @Flag(help: "Mend the file itself.")
    var inPlace = false

    @Flag(help: "Replace an existing file, at the moment the new one is whole.")
    var force = false

    func validate() throws {
        guard inPlace, output != nil || force else { return }
        throw ValidationError("--in-place mends the file itself, so that there is no place for --output or --force")
    }

    func run() throws {
        let repair = try AudioFileRepair(path: file)
        guard !repair.isWhole else { return tell("'\(file)' is whole, and left alone: \(summary(of: repair)).") }
        tell("'\(file)': \(repair.faults.map(\.description).joined(separator: ", and ")).")
        let path = inPlace ? file : output ?? repair.suggestedPath
        if inPlace {
            try repair.mendInPlace()
        } else {
            try repair.write(to: path, replacesExisting: force)
        }
        tell("'\(path)' is whole: \(summary(of: repair)).")
    }

    private func summary(of repair: AudioFileRepair) -> String {
        guard let frames = repair.frameCount, let rate = repair.sampleRate, rate > 0 else { return repair.format }
        let length = TimeText.clock(Double(frames) / Double(rate), decimals: 3)
        return "\(repair.format), \(length), \(frames) frames, \(rate) Hz"
    }

    private func tell(_ message: String) {
        StandardError.write(lines: ["accrec: \(message)"])
    }
}
