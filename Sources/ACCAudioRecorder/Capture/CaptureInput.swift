/// An input that is open or being opened: delivers the audio of one source, and what happens to the source, in order.
///
/// It captures until it is stopped or ends by itself, and then closes its ring buffer. Any task may call.
protocol CaptureInput: AnyObject, Sendable {
    /// The source, in the format in which it is captured.
    var source: AudioSource { get }
    /// The ring buffer that receives the items.
    var ring: CaptureRing { get }
    /// Whether it is open and has not ended.
    var isOpen: Bool { get }
    /// The index of its stream at the server; nil if it has none.
    var streamIndex: UInt32? { get async }
    /// The sink whose clock it has, by its index; nil if it is none, or not known.
    var sinkIndex: UInt32? { get }
    /// Whether it delivers soon, although it has said that it delivers nothing.
    var isExpected: Bool { get }

    /// Waits until the source is open.
    ///
    /// - Throws: `audioEngineStartFailed` if it cannot be opened in time.
    func waitUntilOpen() async throws(ACCAudioRecorderError)

    /// Starts delivering frames captured from now on, for an input that was opened with `CaptureStart.onRequest`.
    func begin()

    /// Captures what an application plays: these streams from now on, and no others. Does nothing for a source.
    func capture(_ playing: [ApplicationStream])

    /// Ends the input, and returns when it has ended.
    func stop(_ stop: CaptureStop) async
}

extension CaptureInput {
    var sinkIndex: UInt32? { source.sinkIndex }

    var isExpected: Bool { false }

    func capture(_ playing: [ApplicationStream]) {}
}

/// The first frame that an input delivers.
enum CaptureStart: Sendable {
    /// The first one that arrives.
    case atOnce
    /// The first one captured after this time, in CLOCK_MONOTONIC nanoseconds. Skips old frames that a server may still
    /// hold.
    case after(hostTime: UInt64)
    /// The first one captured after `begin` is called.
    case onRequest
}

/// When an input that is asked to stop ends.
enum CaptureStop: Sendable {
    /// At the first frame captured after this time, so that nothing before it is missing; but at the latest when
    /// `grace` is over and what has arrived until then is in the ring.
    case after(hostTime: UInt64)
    /// At once.
    case now

    /// How long the source has to deliver what was captured before a stop.
    static let grace = Duration.milliseconds(350)
    /// How often an input that is being stopped looks for room in the ring.
    private static let drainingInterval = Duration.milliseconds(10)

    /// Waits until the grace is over, then until what has arrived is in the ring, where the engine frees room for it.
    ///
    /// - Parameter moveOn: Moves as much as fits into the ring; returns whether that was the last.
    /// - Throws: `CancellationError`.
    static func drain(_ moveOn: () -> Bool) async throws {
        try await Task.sleep(for: grace)
        // The engine does not announce that it has freed a slot: that would wake a thread for each fragment.
        while !moveOn() { try await Task.sleep(for: drainingInterval) }
    }
}

/// How to open an input.
struct CaptureSettings: Sendable {
    /// The stream's properties at the server.
    let streamProperties: [String: String]
    /// The number of frames that the server collects before it delivers them; one slot of the ring.
    var fragmentFrames: Int
    /// The part of libpulse to capture with, if the backend is libpulse.
    let api: CaptureAPI
    /// The length of audio in seconds that the ring keeps after it was consumed; 0 for none.
    var keptLength = 0.0
    /// Whether capture times must be as exact as the server can state them, which it is asked for with each fragment.
    var asksForTiming = false
    /// How long a server has to open a stream.
    private static let openingDeadline = Duration.seconds(5)

    /// Waits until an input is open, but no longer than the deadline.
    ///
    /// - Parameter opened: Fulfilled by the input: with nil if it is open, or with its failure.
    static func wait(
        for opened: Promise<CaptureFailure?>, of source: AudioSource
    ) async throws(ACCAudioRecorderError) {
        let watchdog = Task {
            // Cancelled as soon as the stream is open.
            try await Task.sleep(for: openingDeadline)
            opened.fulfil(CaptureFailure(.timedOut, "Timeout"))
        }
        defer { watchdog.cancel() }
        if let failure = await opened.value {
            throw .audioEngineStartFailed(.init("cannot open the source '\(source.name)'", failure))
        }
    }
}

/// The part of libpulse that audio is captured with.
public enum CaptureAPI: String, Sendable, Hashable, CaseIterable, Codable {
    /// The asynchronous API, whose streams the server pins to their source. The default.
    case asynchronous
    /// The simple API, for servers on which the asynchronous API fails. A stream that the server moves ends, and the
    /// recording opens its source again, which loses up to 80 ms each time.
    case simple
}
