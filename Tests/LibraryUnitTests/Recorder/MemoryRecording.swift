import TestSupport
import Testing

@testable import ACCAudioRecorder

/// A recording from a server in memory, and what it has told so far.
struct MemoryRecording {
    /// Frames of one source that follow each other.
    struct Run: Equatable {
        let source: UInt32
        var frames: Range<Int>

        init(_ source: UInt32, _ frames: Range<Int>) {
            self.source = source
            self.frames = frames
        }
    }

    let recorder: ACCAudioRecorder
    private let server: MemoryServer
    private let streams: RecordingStreams
    private var events: AsyncStream<RecordingEvent>.Iterator
    /// The events after the first three, which are those of the start.
    private(set) var told: [RecordingEvent] = []

    /// Starts a recording, which has its first fragment when this returns.
    init(of recorder: ACCAudioRecorder, from server: MemoryServer) async throws {
        self.recorder = recorder
        self.server = server
        streams = try await recorder.startRecording()
        events = streams.events.makeAsyncIterator()
        try await server.advance(by: .milliseconds(10))
        while let event = await events.next() {
            if case .started = event { break }
        }
    }

    /// Waits for an event.
    ///
    /// - Throws: If the recording has ended without it.
    mutating func wait(for fits: (RecordingEvent) -> Bool) async throws {
        while let event = await events.next() {
            told.append(event)
            if fits(event) { return }
        }
        Issue.record("\(told)")
        throw CancellationError()
    }

    mutating func waitForInterruption() async throws {
        try await wait { if case .interrupted = $0 { true } else { false } }
    }

    mutating func waitForResumption() async throws {
        try await wait { if case .resumed = $0 { true } else { false } }
    }

    /// Waits until the recorder has done all that an interruption asks for at the time of the clock, and sleeps: its task
    /// for the state, and the one that looks for the source.
    func settle() async throws {
        try await eventually("two that sleep") { server.clock.sleeperCount == 2 }
    }

    /// Lets time pass in an interruption, in which the recorder looks for its source every 100 ms.
    func wait(_ duration: Duration) async throws {
        try await settle()
        try await server.advance(by: duration)
        try await settle()
    }

    /// Waits for the end, and returns the report.
    mutating func report() async throws -> RecordingReport {
        try await wait { if case .finished = $0 { true } else { false } }
        return try #require(told.report)
    }

    /// The markers so far, of those after the first fragment.
    var markers: [RecordingMarker] {
        told.compactMap { if case .marker(let marker) = $0 { marker } else { nil } }
    }

    /// The frames of the recording, after its end.
    var runs: [Run] {
        get async {
            var runs: [Run] = []
            for await buffer in streams.buffers {
                let samples = (buffer.toFloatArray() ?? []).map { Int($0 * 0x1p24) }
                for index in stride(from: 0, to: samples.count, by: 2) {
                    let (number, source) = (samples[index], UInt32(samples[index + 1]))
                    if let last = runs.last, last.source == source, last.frames.upperBound == number {
                        runs[runs.count - 1].frames = last.frames.lowerBound..<number + 1
                    } else {
                        runs.append(Run(source, number..<number + 1))
                    }
                }
            }
            return runs
        }
    }
}
