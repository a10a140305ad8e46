@testable import ACCAudioRecorder

extension OutputWriter {
    /// A writer that receives frames of this format, from a source whose sample format is that of `source`.
    convenience init(
        _ output: RecordingOutput, for source: AudioSource, form: StreamFormat,
        configuration: ACCAudioRecorder.Configuration = .init(), broadcast: RecordingBroadcast
    ) throws(ACCAudioRecorderError) {
        var output = output
        output.format.sampleRate = .given(Double(form.sampleRate))
        output.format.channelCount = .given(UInt32(form.channelCount))
        try self.init(
            configuration.resolve(output, from: form, of: source), for: source, configuration: configuration,
            broadcast: broadcast)
    }
}
