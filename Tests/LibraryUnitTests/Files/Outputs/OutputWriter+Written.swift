import TestSupport

@testable import ACCAudioRecorder

extension OutputWriter {
    /// Waits until everything accepted so far is written.
    func waitUntilWritten() async throws {
        try await eventually("everything written") { !isWaiting }
    }
}
