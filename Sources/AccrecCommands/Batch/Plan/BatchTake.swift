import ACCAudioRecorder
import FoundationEssentials

/// One take of a batch.
struct BatchTake: Sendable {
    /// Its place in the batch, counted from 1.
    var number = 0
    /// Where its row begins in the manifest.
    let line: Int
    /// Which of those of its row it is, counted from 1.
    let repetition: Int
    let configuration: ACCAudioRecorder.Configuration
    /// Files, whose names are filled in.
    let outputs: [RecordingOutput]
    /// In seconds, at most where somebody may end it; nil where nobody knows.
    let duration: Double?
    /// Whether somebody ends it with a key.
    let endsByKey: Bool
    /// Whether it fails where frames are missing or samples clipped.
    var isStrict = false
    /// What is shown to whoever is recorded.
    let prompt: String?

    /// Its files.
    var paths: [String] {
        outputs.compactMap { output in
            if case .file(let path) = output.destination { path } else { nil }
        }
    }

    /// For people.
    var name: String { paths.joined(separator: ", ") }

    /// The outputs, for an attempt that may find files of others that did not come to their end.
    func outputs(replacing: Bool) -> [RecordingOutput] {
        outputs.map { output in
            var output = output
            // What there is not is written in its place at once, so that nothing hidden is left by a program that is killed.
            if case .file(let path) = output.destination, replacing, FileManager.default.fileExists(atPath: path) {
                output.replacesExisting = true
            }
            return output
        }
    }
}
