/// Watches for other programs' calls, which interrupt a recording.
struct CallWatch: Sendable {
    private let connection: any CaptureConnection
    /// Calls that were already active when the recording started; these do not interrupt it.
    let known: Set<CallStream>
    /// The application that is recorded, whose calls are what is recorded.
    private let application: ApplicationWatch?

    /// - Parameter known: The calls that do not interrupt it; nil for those that are active now.
    /// - Throws: If the server does not answer.
    init(
        connection: any CaptureConnection, knowing known: Set<CallStream>?, except application: ApplicationWatch?
    ) async throws(CaptureFailure) {
        self.connection = connection
        self.application = application
        if let known { self.known = known } else { self.known = try await connection.calls() }
    }

    /// Whether a new stream belongs to a new call. False if the server does not answer: the capture notices a broken
    /// connection by itself.
    func isNewCall(_ index: UInt32, isPlayback: Bool) async -> Bool {
        guard (try? await connection.isCall(index, isPlayback: isPlayback)) == true else { return false }
        return await hasNewCall
    }

    /// Whether there is a new call.
    var hasNewCall: Bool {
        get async {
            let calls = try? await connection.calls().subtracting(known)
            return calls?.contains { application?.isRecorded($0.owner) != true } ?? false
        }
    }
}
