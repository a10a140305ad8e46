import ACCAudioRecorder

/// One take of a batch.
struct BatchTake: Sendable {
    /// Its number in the batch, counted from 1.
    var number = 0
    /// The manifest line where its row begins.
    let line: Int
    /// The number of the repetition within its row, counted from 1.
    let repetition: Int
    let configuration: ACCAudioRecorder.Configuration
    /// Its outputs: files, with all placeholders filled in.
    let outputs: [RecordingOutput]
    /// In seconds: the exact length, or the maximum if a key ends the take; nil if unlimited.
    let duration: Double?
    /// Whether a key press ends it.
    let endsByKey: Bool
    /// Whether missing frames or clipped samples make it fail.
    var isStrict = false
    /// The text shown to the person who is recorded.
    let prompt: String?

    /// The paths of its files.
    var paths: [String] {
        outputs.compactMap { output in
            if case .file(let path) = output.destination { path } else { nil }
        }
    }

    /// Its name in messages.
    var name: String { paths.joined(separator: ", ") }

    /// The files that are there now, which a continued batch may record again.
    var existingFiles: Set<FileVersion> { Set(paths.compactMap { FileVersion(target: $0) }) }

    /// The outputs for an attempt, which may replace these files only, unless `--force` is given.
    func outputs(replacing files: Set<FileVersion>) -> [RecordingOutput] {
        outputs.map { output in
            var output = output
            // A file that does not exist yet is written in place, so that a killed program leaves no hidden temporary
            // file.
            if case .file(let path) = output.destination, !output.replacesExisting,
                FileVersion(target: path).map(files.contains) == true
            {
                (output.replacesExisting, output.replaceable) = (true, files)
            }
            return output
        }
    }
}
