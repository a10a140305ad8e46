/// An output of a recording with all its settings: its own, else the recording's, else the source's.
package struct ResolvedOutput: Sendable {
    /// The output, with everything filled in. Only a lossy container leaves the encoding nil.
    let output: RecordingOutput
    /// The format of its frames.
    let form: StreamFormat

    /// The encoding of the samples passed to the container.
    var encoding: SampleEncoding { output.encoding ?? .f32 }

    /// Fills in what the source decides.
    ///
    /// - Parameters:
    ///   - output: The output, with what the recording decides filled in.
    ///   - captured: The captured format.
    ///   - format: The format of the source's samples.
    init(_ output: RecordingOutput, from captured: StreamFormat, _ format: SampleFormat) {
        form = output.formatSettings.form(from: captured)
        var output = output
        output.sampleRate = Double(form.sampleRate)
        output.channelCount = UInt32(form.channelCount)
        output.encoding = output.container.isLossy ? nil : output.encoding ?? SampleEncoding(holding: format)
        self.output = output
    }
}

extension ResolvedOutput: CustomStringConvertible {
    /// In short: `44100 Hz 1 ch s16 wav`, `48000 Hz 2 ch opus`.
    package var description: String {
        let encoding = output.encoding.map { " \($0.rawValue)" } ?? ""
        return "\(form.sampleRate) Hz \(form.channelCount) ch\(encoding) \(output.container)"
    }
}
