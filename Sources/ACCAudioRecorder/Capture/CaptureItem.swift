/// One item that an input delivers, in the order in which things happened.
enum CaptureItem: Sendable, Equatable {
    /// Audio, in a slot of the ring.
    case fragment(FragmentStamp)
    /// This many frames are missing.
    case hole(frames: Int, HoleCause)
    /// One of several streams that are mixed was missing for this many frames, while others may have gone on. Its next
    /// frame is this many frames after what was delivered so far. The tag says which one and why, to whoever knows.
    case partMissing(frames: Int, end: Int, tag: Int = 0)
    /// The source delivers nothing until `resumed`, or the end. May follow another one, if the cause has changed.
    case suspended(SuspensionCause)
    /// The source delivers again, at first so many frames that were captured before it was suspended.
    case resumed(earlierFrames: Int = 0)
    /// The source has no more samples, which only happens to a synthetic one; the input stays open.
    case exhausted

    /// The stamp of a fragment; nil for other items.
    var stamp: FragmentStamp? {
        if case .fragment(let stamp) = self { stamp } else { nil }
    }

    /// Why frames are missing.
    enum HoleCause: Sendable {
        /// This program could not keep up.
        case overrun
        /// The server dropped them and reports it.
        case dropped
    }
}

/// Why a source that stays open delivers nothing.
enum SuspensionCause: Sendable {
    /// The source is suspended.
    case suspended
    /// The application plays nothing.
    case applicationAbsent
    /// The application has paused what it plays.
    case applicationPaused
    /// The server has moved what the application plays to another sink.
    case applicationMoved
}

/// The times and the length of a fragment.
struct FragmentStamp: Sendable, Equatable {
    /// The length in bytes, whole frames; less than a full slot only before another kind of item and at the end.
    var byteCount = 0
    /// When the first frame was captured, in CLOCK_MONOTONIC nanoseconds, as the server states it; see `CaptureTimes`.
    var hostTime: UInt64 = 0
    /// Whether the server was asked for its timing with this fragment, so that `hostTime` is right but for single answers.
    var isAsked = false
    /// How long the source keeps a frame before it delivers it, in nanoseconds; negative if it delivers a frame before that
    /// is heard. Nil if the server states only the sum with what is on the way.
    var sourceLatency: Int64?
    /// When the last frame arrived, in CLOCK_MONOTONIC nanoseconds; the time that it waited for the end of its block not
    /// counted, nor that for the end of a cycle of PipeWire.
    var arrivalTime: UInt64 = 0
    /// The length of PipeWire's cycle that completed the fragment, in seconds; nil if it is not known, or not that of a sink.
    var cycle: Double?
    /// How long the machine had slept by then, in nanoseconds, counted from an arbitrary time.
    var timeAsleep: Int64 = 0
    /// How many changes of sources, streams and defaults the server had announced by then.
    var changeCount = 0
    /// The average length in seconds of audio that the server still has from just before the end of an overrun.
    var keptLength = 0.0
}

extension FragmentStamp {
    /// The arrival with what keeps it steady while other clients change the cycle: see `PulseCycles`. It shows only what is missing.
    var steadyArrival: UInt64 { arrivalTime + UInt64((cycle ?? 0) * 1e9) }
}

/// Why an input ended.
enum CaptureEnd: Sendable, Equatable {
    /// It was stopped; everything captured until then was delivered.
    case stopped
    /// Its source is gone.
    case sourceRemoved
    /// Somebody ended its stream at the server.
    case killed
    /// Its stream was moved to another source, from which nothing was delivered.
    case moved
    /// The connection to the server broke.
    case serverLost
    /// The stream failed for another reason.
    case failed(CaptureFailure)
}
