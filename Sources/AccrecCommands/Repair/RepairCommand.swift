import ACCAudioRecorder
import ArgumentParser

/// `accrec repair`: repairs files that a crash, a full disk or a power cut left incomplete.
struct RepairCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "repair",
        abstract: "Repair a file whose recording was cut off.",
        discussion: """
            Corrects the sizes in the header of a WAV, RF64, W64, AIFF, CAF, FLAC or Ogg file and removes an incomplete \
            last frame or page. All other samples stay unchanged. Writes a new file unless --in-place is given; a file \
            that is complete is left alone.
            """)

    @Argument(help: "The file to repair, from any recorder.", completion: .file())
    var file: String

    @Option(
        name: .longAndJoined("o"),
        help: ArgumentHelp(
            "The file to create. (default: the same name with '-repaired')", valueName: "file"),
        completion: .file())
    var output: String?

    @Flag(help: "Repair the file itself.")
    var inPlace = false

    @Flag(help: "Replace an existing file once the new one is complete.")
    var force = false

    func validate() throws {
        guard inPlace, output != nil || force else { return }
        throw ValidationError("--in-place excludes --output and --force")
    }

    func run() throws {
        let repair = try AudioFileRepair(path: file)
        guard !repair.isWhole else { return tell("'\(file)' needs no repair: \(summary(of: repair))") }
        tell("'\(file)': \(repair.faults.map(\.description).joined(separator: ", "))")
        let path = inPlace ? file : output ?? repair.suggestedPath
        if inPlace {
            try repair.repairInPlace()
        } else {
            try repair.write(to: path, replacesExisting: force)
        }
        tell("repaired '\(path)': \(summary(of: repair))")
    }

    private func summary(of repair: AudioFileRepair) -> String {
        guard let frames = repair.frameCount, let rate = repair.sampleRate, rate > 0 else { return repair.format }
        let length = TimeText.clock(Double(frames) / rate, decimals: 3)
        return "\(repair.format), \(length), \(frames) frames, \(rate.plain) Hz"
    }

    private func tell(_ message: String) {
        StandardError.tell(message)
    }
}
