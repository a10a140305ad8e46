import ACCAudioRecorder
import FoundationEssentials

/// Whether the files of a take are as they are to be, by the files themselves.
struct TakeCompleteness {
    let take: BatchTake
    /// What was told of the take; where somebody ended it, that says how long it is.
    let told: ToldResult?

    var isComplete: Bool { take.outputs.allSatisfy(isComplete) }

    private func isComplete(_ output: RecordingOutput) -> Bool {
        guard case .file(let path) = output.destination else { return false }
        let form = take.configuration.applying(output)
        let rate = form.native.contains(.sampleRate) ? nil : Int(form.sampleRate)
        let selected = form.selectedChannels.isEmpty ? nil : form.selectedChannels.count
        let channels = form.native.contains(.channelCount) ? selected : Int(form.channelCount)
        let reported = told?.output(at: path)
        guard output.container != .raw else {
            guard let size = Self.size(ofFile: path) else { return false }
            // Samples alone say neither their rate nor how large they are.
            guard let rate, let channels, let encoding = output.encoding, let frames = frames(at: rate, reported) else {
                return size == reported?.bytes
            }
            return size == frames * channels * encoding.bytesPerSample
        }
        guard let content = AudioFileContent(path: path), let frames = frames(at: content.sampleRate, reported) else {
            return false
        }
        return content.frameCount == frames && content.sampleRate == rate ?? content.sampleRate
            && content.channelCount == channels ?? content.channelCount
    }

    /// How many frames a file of that rate has to have; nil where nobody knows.
    private func frames(at rate: Int, _ reported: ToldResult.Output?) -> Int? {
        guard let duration = take.duration, !take.endsByKey else { return reported?.frames }
        // Of several rates that of the take decides when it ends.
        let own = take.configuration.native.contains(.sampleRate) ? Double(rate) : take.configuration.sampleRate
        return Int(((duration * own).rounded() * Double(rate) / own).rounded())
    }

    private static func size(ofFile path: String) -> Int? {
        (try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int
    }
}
