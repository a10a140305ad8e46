// Takes: recordings one after another, from a source that stays open between them.

extension ACCAudioRecorder {
    /// Opens the source as ``prepareRecording(keeping:)`` does, for one recording after another: when one ends, by whatever,
    /// the source stays open and its newest audio is kept for the next one. ``finishRecording()`` and ``discardRecording()``
    /// end that as well, and close the source; ``finishTake()`` and ``discardTake(andCompleteFiles:)`` do not.
    ///
    /// Each captured frame is in one recording at most: none begins before the end of the one before, so its pre-roll is
    /// shorter if it is started earlier. Each recording needs outputs of its own, such as those of a ``FilePattern`` with
    /// `{n}`; it is complete before the next one starts. A source that is paused or lost when a recording ends is opened
    /// again, as soon as possible, and so are several inputs, which are aligned again.
    ///
    /// ```swift
    /// try await recorder.prepareTakes(keeping: .seconds(1))
    /// for await press in hotkey.presses {
    ///     try await recorder.startRecording(to: [RecordingOutput(.pattern(FilePattern("note-{n}.flac")))])
    ///     await press.end()
    ///     await recorder.finishTake()
    /// }
    /// await recorder.finishRecording()
    /// ```
    ///
    /// - Parameter length: As for ``prepareRecording(keeping:)``.
    /// - Throws: As ``prepareRecording(keeping:)``.
    public func prepareTakes(keeping length: Duration = .zero) async throws(ACCAudioRecorderError) {
        let seconds = try preRoll(of: length)
        await enter()
        defer { gate.leave() }
        guard machine.phase == .idle else { throw .recordingAlreadyInProgress }
        takePreRoll = seconds
        do throws(ACCAudioRecorderError) {
            try await prepare(keeping: seconds)
        } catch {
            takePreRoll = nil
            throw error
        }
        rearm(keeping: seconds)
    }

    /// Finishes the current take with every frame captured until now, and completes its outputs. The source stays open.
    ///
    /// - Returns: The report; nil without a recording.
    @discardableResult
    public func finishTake() async -> RecordingReport? {
        await handle(.finish, keepsSource: true)
    }

    /// Ends the current take and removes the files that are being written. The source stays open, and what was captured does
    /// not get into the next take.
    ///
    /// - Parameter andCompleteFiles: Whether to remove the complete files of the take as well.
    /// - Returns: The report, with the files that stay; nil without a recording.
    @discardableResult
    public func discardTake(andCompleteFiles: Bool = true) async -> RecordingReport? {
        await handle(andCompleteFiles ? .discard : .discardCurrentFiles, keepsSource: true)
    }

    /// Keeps the source open for takes as long as a closure runs, and finishes the last one when it returns or throws.
    ///
    /// ```swift
    /// try await recorder.withTakes(keeping: .seconds(1)) {
    ///     for await press in hotkey.presses {
    ///         try await recorder.withRecording(to: outputs) { _ in await press.end() }
    ///     }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - length: As for ``prepareTakes(keeping:)``.
    ///   - body: Runs in the caller's task, and may call any method of the recorder.
    /// - Returns: What the closure returns.
    /// - Throws: What ``prepareTakes(keeping:)`` throws, or what the closure throws after the last take was finished.
    nonisolated(nonsending) public func withTakes<Value>(
        keeping length: Duration = .zero, _ body: () async throws -> Value
    ) async throws -> Value {
        try await prepareTakes(keeping: length)
        do {
            let value = try await body()
            await finishRecording()
            return value
        } catch {
            await finishRecording()
            throw error
        }
    }
}
