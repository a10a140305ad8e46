import Synchronization
import TestSupport

@testable import ACCAudioRecorder

/// A stream of a source in memory.
final class MemoryInput: CaptureInput {
    let source: AudioSource
    let ring: CaptureRing
    private let fragmentFrames: Int
    private let now: @Sendable () -> UInt64
    /// How it ends when it is stopped.
    let endOfStop = Mutex(CaptureEnd.stopped)
    /// Nil after the end.
    private let writer: Mutex<FragmentWriter?>

    init(
        _ source: AudioSource, _ settings: CaptureSettings, _ start: CaptureStart, now: @escaping @Sendable () -> UInt64
    ) throws(ACCAudioRecorderError) {
        let writer = try FragmentWriter(
            source.sampleSpec, fragmentFrames: settings.fragmentFrames, keptLength: settings.keptLength, start: start)
        self.source = source
        ring = writer.ring
        fragmentFrames = settings.fragmentFrames
        self.now = now
        self.writer = Mutex(writer)
    }

    var isOpen: Bool { writer.withLock { $0 != nil } }

    var streamIndex: UInt32? { get async { nil } }

    func waitUntilOpen() async throws(ACCAudioRecorderError) {}

    func begin() {
        let now = now()
        writer.withLock { $0?.startTime = now }
    }

    func stop(_ stop: CaptureStop) async {
        end(endOfStop.withLock { $0 })
    }

    /// Delivers the rest and closes the ring, if that has not happened yet.
    func end(_ end: CaptureEnd) {
        writer.withLock { writer in
            writer?.close(end)
            writer = nil
        }
    }

    /// Delivers frames, which are captured and arrive at the given times, in CLOCK_MONOTONIC nanoseconds.
    func deliver(
        _ frames: Range<Int>, statedLaterBy delay: Duration = .zero, _ hostTime: (Int) -> UInt64
    ) async throws {
        var first = frames.lowerBound
        while first < frames.upperBound {
            let part = first..<min(first + fragmentFrames, frames.upperBound)
            let samples = part.flatMap { [Float($0) * 0x1p-24, Float(source.id) * 0x1p-24] }
            try await eventually("room in the ring") {
                !isOpen || ring.leastFreeSlots > 2
            }
            let stamp = FragmentStamp(
                hostTime: hostTime(part.lowerBound) + UInt64(delay / .nanoseconds(1)),
                arrivalTime: hostTime(part.upperBound))
            writer.withLock { writer in
                samples.withUnsafeBytes { _ = writer?.write($0, stamp) }
            }
            first = part.upperBound
        }
    }
}
