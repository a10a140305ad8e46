/// Writes samples of a program to files or pipes, without a source: any container and encoding, metadata, splitting, and everything else
/// of a ``RecordingOutput``. What was written is a valid file after a crash, as a recording's is.
///
/// ```swift
/// let writer = try await AudioFileWriter(RecordingOutput(path: "utterance.flac"), sampleRate: 16_000, channelCount: 1)
/// for block in utterance { try await writer.write(block) }
/// let report = try await writer.finish()
/// ```
///
/// Of a writer that is released without a finish, the file is completed as well.
public struct AudioFileWriter: Sendable {
    private let source: PushSource
    private let recorder: ACCAudioRecorder
    private let ended = Promise<RecordingReport>()

    /// Creates the file.
    ///
    /// - Parameters:
    ///   - output: The output. Without an encoding, samples are stored in 24 bits; without a rate or a channel count, as they come.
    ///   - sampleRate: Of the samples, 8,000 to 384,000 Hz.
    ///   - channelCount: Of the samples, 1 to 32.
    /// - Throws: `audioFormatCreationFailed` for a sample rate or channel count out of range; `outputFailed` if the output cannot be
    ///   created.
    public init(_ output: RecordingOutput, sampleRate: Double, channelCount: UInt32) async throws(ACCAudioRecorderError)
    {
        source = try PushSource(sampleRate: sampleRate, channelCount: channelCount)
        var configuration = ACCAudioRecorder.Configuration()
        configuration.format = FormatSettings(sampleRate: .native, channelCount: .native, encoding: .given(.s24))
        recorder = ACCAudioRecorder(configuration: configuration, source: source)
        let events = recorder.events()
        try await recorder.startRecording(to: [output])
        Task { [source, ended] in
            for await case .finished(let report) in events {
                ended.fulfil(report)
                break
            }
            // A file that cannot be written any more takes no further samples.
            source.close()
        }
    }

    /// Writes samples, and waits while the file is more than a second behind. Calls must not overlap.
    ///
    /// - Parameter samples: Interleaved, whole frames; full scale is ±1.
    /// - Throws: `CancellationError` if the task is cancelled while it waits; `audioFormatCreationFailed` for an incomplete frame;
    ///   `outputFailed` if the file has ended: ``finish()`` says why.
    public func write(_ samples: some Collection<Float> & Sendable) async throws {
        try await source.write(samples)
    }

    /// Writes the samples of a buffer, which must have the rate and the channel count of the writer.
    ///
    /// - Throws: As the method of this name that takes samples; `audioFormatCreationFailed` also for a buffer of another format.
    public func write(_ buffer: AudioBufferData) async throws {
        try await source.write(buffer)
    }

    /// Completes the file.
    ///
    /// - Returns: The report of the output; of a pattern or a splitting output, of its last file.
    /// - Throws: `nothingRecorded` if nothing was written, in which case there is no file; `outputFailed` if the file could not be
    ///   written, in which case it holds what was written until then; `noActiveRecording` after ``discard()``.
    @discardableResult
    public func finish() async throws(ACCAudioRecorderError) -> OutputReport {
        await recorder.finishRecording()
        source.close()
        let report = await ended.value
        if case .failed(let error) = report.ending { throw error }
        guard let output = report.outputs.last else { throw .noActiveRecording }
        if let failure = output.failure { throw failure }
        return output
    }

    /// Removes the file.
    public func discard() async {
        await recorder.discardRecording()
        source.close()
    }
}
