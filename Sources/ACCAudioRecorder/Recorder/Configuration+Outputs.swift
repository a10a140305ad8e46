extension ACCAudioRecorder.Configuration {
    /// Refuses what a recording to these outputs is known to fail for before its source is looked at, as its start does:
    /// to be asked where that will be later. Nothing is created. Blocks while files are looked for, on any thread.
    ///
    /// - Throws: `audioFormatCreationFailed` for a rate, a channel count or a buffer size out of range; `outputFailed` for an
    ///   output that cannot be created.
    public func validate(outputs: [RecordingOutput]) throws(ACCAudioRecorderError) {
        try validate()
        for (index, output) in outputs.enumerated() {
            guard !outputs[..<index].contains(where: { $0.destination == output.destination }) else {
                throw .outputFailed(
                    .init(
                        .invalidFormat, "cannot record to \(output.destination) twice",
                        cause: "two outputs have one place", remedy: "Give each a place of its own."))
            }
            let own = applying(output)
            try own.validate()
            try OutputWriter.check(output, form: own.native.isEmpty ? own.outputForm(from: nil) : nil)
        }
    }
}
