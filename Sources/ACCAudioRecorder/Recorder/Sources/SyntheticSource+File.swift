extension SyntheticSource {
    /// Creates a source that delivers the contents of a sound file, which is read into memory.
    ///
    /// - Parameters:
    ///   - path: A file in any format that libsndfile reads.
    ///   - pace: How fast samples are delivered.
    ///   - faults: The scripted faults.
    /// - Throws: `audioFormatCreationFailed` if it cannot be read, or its sample rate or channel count is out of range.
    public init(
        path: String, pace: Pace = .asFastAsPossible, faults: [Fault] = []
    ) throws(ACCAudioRecorderError) {
        var reader: SoundFileReader
        do {
            reader = try SoundFileReader(path: path)
        } catch {
            throw .audioFormatCreationFailed(
                .init(.cannotRead, "cannot read '\(path)'", cause: "\(error)", remedy: "Name an audio file."))
        }
        if let omission = reader.omission {
            throw .audioFormatCreationFailed(
                .init(.cannotRead, "cannot read '\(path)' as a whole", cause: omission, remedy: "Name another file."))
        }
        // The length in the header cannot be trusted.
        var samples: [Float] = []
        var block = [Float](repeating: 0, count: 4_096 * max(reader.channels, 1))
        while case let frameCount = block.withUnsafeMutableBufferPointer({ reader.read(into: $0) }), frameCount > 0 {
            samples += block.prefix(frameCount * reader.channels)
        }
        try self.init(
            samples: samples, sampleRate: reader.sampleRate, channelCount: reader.channelCount, pace: pace,
            faults: faults)
    }
}
