@testable import ACCAudioRecorder

/// A recording of which all frames are in the ring.
public struct PreparedRecording {
    let engine: RecordingEngine
    let ring: CaptureRing
    let source: AudioSource

    /// What the engine thread does in a recording: everything between the ring and the queues of the outputs.
    public func record() throws {
        switch engine.record(ring, from: source, as: source.form) {
        case .inputEnded: return
        case .failed(let error), .outputsFailed(let error): throw error
        case .limitReached, .silent, .endReached: preconditionFailure("a recording without a limit")
        }
    }

    /// Completes the outputs.
    ///
    /// - Returns: How many frames are recorded.
    public func finish() async throws -> Int {
        let report = await engine.finish(.finished, source: source)
        if let failure = report.failures.first { throw failure }
        return report.frameCount
    }
}
