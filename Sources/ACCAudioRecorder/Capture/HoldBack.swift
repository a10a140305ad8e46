import CPulse
import Glibc
import Synchronization

/// Lets fragments pass only when it is known that they are of the stream's own source, so that no frame of a foreign one
/// reaches an output, a stream or a meter.
///
/// A server tells of a move before the first frame of the other source can be read, but on another connection. PulseAudio
/// does so by the order of its main loop; of PipeWire it is what was measured, and no promise. Fragments at whose arrival it
/// had told of nothing there, since it last confirmed that the stream is on its source, are taken for the source's own.
/// Where it has told of something it is asked again: whoever asks after a read, and is told that the stream was not moved,
/// knows that what was read is the source's own.
///
/// Where the answer is that it was moved, those fragments are still the source's own at whose arrival the server had told of
/// nothing, and the beginning of the next for which that holds.
final class HoldBack: Sendable {
    /// How long to wait before asking again where the stream is, while PipeWire takes it from one source to another.
    private static let pause: UInt32 = 5_000
    /// For how long a server that tells of nothing is not asked, in nanoseconds. No server is known that moves a stream and
    /// does not tell; if one did, that would be found by then.
    private static let longestTrust: UInt64 = 5_000_000_000

    private let control: PulseControl
    private let streamName: String
    private let sourceIndex: UInt32
    /// How often the server had told of a change when it last confirmed.
    private let confirmedChangeCount = Atomic<Int>(-1)
    /// When the last fragment arrived that it has confirmed, in CLOCK_MONOTONIC nanoseconds.
    private let confirmedTime = Atomic<UInt64>(0)
    /// The server's number for the stream, once it is known.
    private let streamIndex = Atomic<UInt32>(accrec_pa_invalid_index)
    private let query = StreamPlaceQuery()
    private let left = Atomic<Bool>(false)
    private let isEnding = Atomic<Bool>(false)

    init(control: PulseControl, streamName: String, source: AudioSource) {
        self.control = control
        self.streamName = streamName
        sourceIndex = source.id
    }

    /// Whether the stream has been elsewhere. Any thread.
    var hasLeft: Bool { left.load(ordering: .acquiring) }

    /// The stream has been seen elsewhere, or its source has gone. Any thread.
    func noteLeft() {
        left.store(true, ordering: .releasing)
    }

    /// The capture is to end: an answer that does not come is not waited for any longer. Any thread.
    func noteEnding() {
        isEnding.store(true, ordering: .releasing)
    }

    /// How many of the fragments that wait are of the stream's own source. The engine's thread; may block for a round trip
    /// to the server.
    ///
    /// - Parameter ring: Where they wait, at least one. It ends with the last frame that is known to be of the source
    ///   when the stream has left it.
    func confirmedCount(in ring: FragmentRing) -> Int {
        // What is in the ring, and was told, before the question is asked is what the answer is about.
        let count = ring.filledCount
        let changeCount = control.heardChangeCount
        let confirmed = confirmedChangeCount.load(ordering: .relaxed)
        let quietCount = (0..<count).prefix { ring.stamp(of: $0).changeCount == confirmed }.count
        let time = ring.stamp(of: count - 1).arrivalTime
        let isTrusted = quietCount == count && time < confirmedTime.load(ordering: .relaxed) + Self.longestTrust
        if isTrusted && !hasLeft { return count }
        if confirm() {
            confirmedChangeCount.store(changeCount, ordering: .relaxed)
            confirmedTime.store(time, ordering: .relaxed)
            return count
        }
        guard quietCount < count else { return count }
        let next = ring.stamp(of: quietCount)
        ring.end(within: quietCount, after: next.changeCountBefore == confirmed ? next.unchangedByteCount : 0)
        return ring.filledCount
    }

    /// Whether all that was read before the call is of the stream's own source.
    private func confirm() -> Bool {
        while !hasLeft {
            do throws(PulseFailure) {
                // A stream that was ended has not been elsewhere.
                guard let place = try place() else { return !hasLeft }
                if place == sourceIndex { return !hasLeft }
                if place != accrec_pa_invalid_index || isEnding.load(ordering: .acquiring) { noteLeft() }
                // The server tells of no end of the move that could be waited for here.
                usleep(Self.pause)
            } catch {
                // What the server had told before its connection broke has been heard.
                if error.code != PA_ERR_TIMEOUT || isEnding.load(ordering: .acquiring) { return !hasLeft }
            }
        }
        return false
    }

    /// The number of the source that the stream is on; nil where it has ended.
    private func place() throws(PulseFailure) -> UInt32? {
        let known = streamIndex.load(ordering: .relaxed)
        if known != accrec_pa_invalid_index { return try control.waitForPlace(ofStream: known, query) }
        guard let stream = try control.waitForSourceOutput(named: streamName) else { return nil }
        streamIndex.store(stream.index, ordering: .relaxed)
        return stream.sourceIndex
    }
}
