import ACCAudioRecorder
import Glibc

/// Checks whether the files of a take are complete, by reading them.
struct TakeCompleteness {
    let take: BatchTake
    /// The recorded result of the take. For a take that was ended by hand only this says how long it is.
    let priorResult: PriorResult?

    var isComplete: Bool { take.outputs.allSatisfy(isComplete) }

    private func isComplete(_ output: RecordingOutput) -> Bool {
        guard case .file(let path) = output.destination else { return false }
        let form = take.configuration.applying(output)
        let rate = form.native.contains(.sampleRate) ? nil : Int(form.sampleRate)
        let selected = form.selectedChannels.isEmpty ? nil : form.selectedChannels.count
        let channels = form.native.contains(.channelCount) ? selected : Int(form.channelCount)
        let reported = priorResult?.output(at: path)
        guard output.container != .raw else {
            guard let size = Self.size(ofFile: path) else { return false }
            // Raw samples store neither their rate nor their encoding.
            guard let rate, let channels, !form.native.contains(.encoding), let frames = frames(at: rate, reported)
            else { return size == reported?.bytes }
            // The frame count may come from a damaged results file and can have any value.
            let (frameCount, rest) = size.quotientAndRemainder(dividingBy: channels * form.encoding.bytesPerSample)
            return frameCount == frames && rest == 0
        }
        return isComplete(path, rate: rate, channels: channels, reported)
    }

    /// Whether a file with a header is complete.
    ///
    /// - Parameters:
    ///   - rate: The expected sample rate in Hz; nil for any.
    ///   - channels: The expected channel count; nil for any.
    private func isComplete(_ path: String, rate: Int?, channels: Int?, _ reported: PriorResult.Output?) -> Bool {
        do {
            var file = try SoundFileReader(path: path)
            return file.canReadLastFrame() && file.frameCount == frames(at: file.sampleRate, reported)
                && file.sampleRate == rate ?? file.sampleRate && file.channelCount == channels ?? file.channelCount
        } catch {
            // The file is missing or not readable.
            return false
        }
    }

    /// The number of frames that a file of that rate must have, or nil if unknown.
    private func frames(at rate: Int, _ reported: PriorResult.Output?) -> Int? {
        guard let duration = take.duration, !take.endsByKey else { return reported?.frames }
        // With outputs of several rates, the rate of the take determines its length.
        let own = take.configuration.native.contains(.sampleRate) ? Double(rate) : take.configuration.sampleRate
        return Int(((duration * own).rounded() * Double(rate) / own).rounded())
    }

    private static func size(ofFile path: String) -> Int? {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : nil
    }
}
