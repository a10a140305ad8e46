/// One run of the engine, on one opening of the source.
struct CapturedSegment: Sendable {
    let input: any CaptureInput
    /// Fulfilled when the engine is done with the segment.
    let end: Promise<RecordingEngine.SegmentEnd>
    /// Whether the source delivers, at each change. For one consumer.
    let flow: AsyncStream<SourceFlow>
    private let ending = EndRequest()

    /// Begins a segment on an input, which is stopped if that fails.
    ///
    /// - Parameters:
    ///   - captured: The captured format.
    ///   - interruption: The interruption between the previous segment and this one, which is recorded as a gap.
    ///   - preRoll: What precedes the start of the recording, of which this is the first segment.
    init(
        _ input: any CaptureInput, as captured: StreamFormat, by engine: RecordingEngine,
        after interruption: RecordingInterruption?, preRoll: PreRoll?
    ) async throws(ACCAudioRecorderError) {
        let end = Promise<RecordingEngine.SegmentEnd>()
        let (flow, flowing) = AsyncStream.makeStream(of: SourceFlow.self)
        (self.input, self.end, self.flow) = (input, end, flow)
        do throws(ACCAudioRecorderError) {
            try DetachedThread.start("engine") { [ending] in
                end.fulfil(
                    engine.record(
                        input.ring, from: input.source, as: captured, after: interruption, preRoll: preRoll,
                        ending: ending
                    ) { flowing.yield($0) })
                flowing.finish()
            }
        } catch {
            await input.stop(.now)
            throw error
        }
    }

    /// Stops the input, and waits until everything from it is recorded.
    func stop(_ stop: CaptureStop) async {
        await input.stop(stop)
        _ = await end.value
    }

    /// Ends the segment with the last frame captured until a time, or at once, and leaves its input open. Waits for the source
    /// as long as a stop does.
    func leave(_ stop: CaptureStop) async {
        let finish = { @Sendable [ending, input] (hostTime: UInt64, isDue: Bool) in
            ending.request(after: hostTime, isDue: isDue)
            input.ring.wakeConsumer()
        }
        guard case .after(let hostTime) = stop else {
            finish(0, true)
            _ = await end.value
            return
        }
        finish(hostTime, false)
        let rest = Task {
            // What was captured by then may still be on its way.
            try await Task.sleep(for: CaptureStop.grace)
            finish(hostTime, true)
        }
        _ = await end.value
        rest.cancel()
    }
}
