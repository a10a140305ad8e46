import TestSupport

@testable import ACCAudioRecorder

/// A synthetic source that loses audio, drifts, and is delivered late: everything by its own clock, as fast as possible.
struct SimulatedDelivery {
    /// A time at which something begins, and how long it lasts, in seconds.
    struct Span {
        var time: Double
        var length: Double
    }

    /// A client comes or goes, and from then on deliveries have this latency in seconds.
    struct Change {
        var time: Double
        var latency: Double
    }

    /// As low as a source's may be: most of a recording's work is done for each frame.
    static let rate = 8_000.0

    /// In seconds.
    var length = 30.0
    /// The length of a fragment in seconds.
    var fragment = 0.04
    /// Audio that is lost; in order, not overlapping.
    var losses: [Span] = []
    /// Times in which nothing is delivered, whose audio arrives afterwards at once.
    var stalls: [Span] = []
    var changes: [Change] = []
    /// Times in which the server gets so little of the processor that it delivers more slowly than it captures.
    var starvations: [Span] = []
    /// The longest random delay of a fragment in seconds; half of the fragments have less than a fifth of it.
    var jitter = 0.006
    /// By how many seconds the source's clock loses in a second, at a time.
    var drift: @Sendable (Double) -> Double = { _ in 0 }
    let seed: UInt64

    init(seed: UInt64) {
        self.seed = seed
    }

    var fragmentFrames: Int { Self.frames(in: fragment) }

    static func frames(in seconds: Double) -> Int { Int((seconds * rate).rounded()) }

    /// Stops the reader. The server keeps so many seconds of audio for it, and its newest block; what lies between them is
    /// lost.
    mutating func stop(_ span: Span, keeping queue: Double) {
        stalls.append(span)
        let lost = span.length - queue - fragment / 2
        if lost > 0 { losses.append(.init(time: span.time + queue, length: lost)) }
    }

    /// The source, whose samples are zero.
    func source() throws -> SyntheticSource {
        var source = try SyntheticSource(
            sampleRate: Self.rate, channelCount: 1, frameCount: Self.frames(in: length),
            faults: losses.map {
                .init(.lost(frames: Self.frames(in: $0.length)), atFrame: Self.frames(in: $0.time))
            }
        ) { _, _ in 0 }
        let stamps = DeliveryStamps(self)
        source.restamp = { stamps.change(&$1, of: $0) }
        return source
    }
}
