import Synchronization

/// A source that a program feeds with samples of its own: from a network, a decoder, a synthesiser or a test.
///
/// A recorder of it needs no sound server, and has everything else: files of any container, splits, levels, subscribers, reports.
/// It takes all that is written, in order and as fast as it can. A writer waits while the recording is more than a second behind, so
/// nothing is lost and memory is bounded.
///
/// ```swift
/// let source = try PushSource(sampleRate: 24_000, channelCount: 1)
/// let recorder = ACCAudioRecorder(source: source)
/// try await recorder.startRecording(to: [RecordingOutput(path: "answer.flac")])
/// for await samples in synthesiser.speech { try await source.write(samples) }
/// await recorder.finishRecording()
/// ```
///
/// A pause and the end take all that was written before them. What is written without a recording waits for the next one.
public final class PushSource: Sendable {
    private struct State {
        var samples: ArraySlice<Float> = []
        /// Fulfilled when a writer that waits may try again.
        var room = Promise<Void>()
        /// Whether nobody will take anything any more.
        var isClosed = false
    }

    let spec: SampleSpec
    private let state = Mutex(State())
    private let written = ThreadWaker()

    /// Creates a source of 32-bit floating-point samples.
    ///
    /// - Parameters:
    ///   - sampleRate: 8,000 to 384,000 Hz.
    ///   - channelCount: 1 to 32.
    /// - Throws: `audioFormatCreationFailed` for a sample rate or channel count out of range, or a rate with a fraction.
    public init(sampleRate: Double, channelCount: UInt32) throws(ACCAudioRecorderError) {
        spec = try SyntheticSource.spec(.float32LE, sampleRate: sampleRate, channelCount: channelCount)
    }

    /// The sample rate in Hz.
    public var sampleRate: Double { spec.sampleRate }

    /// Samples per frame.
    public var channelCount: UInt32 { spec.channelCount }

    /// Writes samples for the recording, and waits until it has room for them. Calls of several tasks must not overlap, or their
    /// samples are mixed up.
    ///
    /// - Parameter samples: Interleaved, whole frames; full scale is ±1.
    /// - Throws: `CancellationError` if the task is cancelled while it waits: the samples are written in part;
    ///   `ACCAudioRecorderError.audioFormatCreationFailed` if the last frame is incomplete: nothing is written.
    public func write(_ samples: some Collection<Float> & Sendable) async throws {
        guard samples.count % spec.channels == 0 else {
            throw ACCAudioRecorderError.audioFormatCreationFailed(
                .init(
                    .invalidFormat, "cannot write \(samples.count) samples", cause: "the last frame is incomplete",
                    remedy: "Write a multiple of \(channelCount) samples."))
        }
        var rest = samples[...]
        while !rest.isEmpty {
            let room = try state.withLock { state throws(ACCAudioRecorderError) in
                guard !state.isClosed else { throw .closed }
                // A second, in whole frames.
                let count = min(max(spec.rate * spec.channels - state.samples.count, 0), rest.count)
                state.samples += rest.prefix(count)
                rest = rest.dropFirst(count)
                if state.room.isFulfilled { state.room = Promise() }
                return state.room
            }
            written.wake()
            guard !rest.isEmpty else { return }
            await withTaskCancellationHandler {
                await room.value
            } onCancel: {
                // Other writers try again, too.
                room.fulfil(())
            }
            try Task.checkCancellation()
        }
    }

    /// Takes samples that were written, for whole frames.
    ///
    /// - Returns: The number of bytes that it has copied.
    func take(into bytes: UnsafeMutableRawBufferPointer) -> Int {
        let (count, room) = state.withLock { state in
            let count = min(state.samples.count, bytes.count / MemoryLayout<Float>.size)
            state.samples.prefix(count).withUnsafeBytes { bytes.copyMemory(from: $0) }
            state.samples.removeFirst(count)
            return (count, state.room)
        }
        if count > 0 { room.fulfil(()) }
        return count * MemoryLayout<Float>.size
    }

    /// Waits until something is written, somebody calls `wake`, or the deadline passes; in CLOCK_MONOTONIC nanoseconds.
    func wait(until deadline: UInt64) { _ = written.wait(until: deadline) }

    func wake() { written.wake() }

    /// Refuses what is written from now on.
    func close() {
        let room = state.withLock { state in
            state.isClosed = true
            return state.room
        }
        room.fulfil(())
    }
}

extension ACCAudioRecorderError {
    fileprivate static let closed = ACCAudioRecorderError.outputFailed(
        .init(
            .cannotWrite, "cannot write more samples", cause: "the file has ended",
            remedy: "Finish the writer, which says why."))
}
