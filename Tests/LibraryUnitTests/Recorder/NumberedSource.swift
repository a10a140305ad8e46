import ACCAudioRecorder
import TestSupport
import Testing

/// A synthetic source whose frame n carries the number n, by a clock that the test moves.
enum NumberedSource {
    static let rate = 48_000

    /// A recorder of half a minute of it, by default in the format of the source: 48 kHz, two channels, 16 bits.
    static func recorder(
        by clock: SyntheticClock, faults: [SyntheticSource.Fault] = [], rate: Double = 48_000, channels: UInt32 = 2,
        bufferSize: UInt32 = 480, _ interruptions: InterruptionPolicy = .init()
    ) throws -> ACCAudioRecorder {
        ACCAudioRecorder(
            configuration: .init(
                sampleRate: rate, channelCount: channels, bufferSize: bufferSize, interruptions: interruptions),
            source: try SyntheticSource(
                samples: counter, sampleRate: Double(self.rate), channelCount: 2, pace: .clock(clock), faults: faults))
    }

    private static let counter = Signal.counter(frames: 30 * rate, channels: 2)

    /// The numbers of the frames in these buffers.
    static func numbers(_ buffers: [AudioBufferData]) -> [Int] {
        buffers.flatMap { buffer in
            Signal.numbers(inCounter: Signal.int16(buffer.toFloatArray() ?? []), channels: 2).map { Int($0) }
        }
    }
}

extension SyntheticClock {
    /// Moves the clock to the time, rounded up to a nanosecond, at which the frame with this number begins.
    func advance(toFrame frame: Int) {
        let nanoseconds = (frame * 1_000_000_000 + NumberedSource.rate - 1) / NumberedSource.rate
        advance(by: .nanoseconds(nanoseconds) - now.elapsed)
    }
}

extension AsyncSequence where Failure == Never {
    /// Its values up to its end.
    var all: [Element] {
        get async {
            var values: [Element] = []
            for await value in self { values.append(value) }
            return values
        }
    }
}

extension Subscription<RecordedAudio> {
    /// What comes until a recording ends, inclusive.
    var ofOneRecording: [RecordedAudio] {
        get async {
            var values: [RecordedAudio] = []
            for await value in self {
                values.append(value)
                if case .ended = value { break }
            }
            return values
        }
    }
}

extension [RecordedAudio] {
    /// The buffers, of which none may be missing.
    var buffers: [AudioBufferData] {
        compactMap { audio in
            switch audio {
            case .buffer(let buffer): return buffer
            case .dropped(let frames): Issue.record("\(frames) frames dropped")
            default: break
            }
            return nil
        }
    }

    /// The number of frames in the buffers, and of those that were dropped.
    var frames: (received: Int, dropped: Int) {
        reduce((0, 0)) { sum, audio in
            switch audio {
            case .buffer(let buffer): (sum.0 + Int(buffer.frameLength), sum.1)
            case .dropped(let frames): (sum.0, sum.1 + frames)
            default: sum
            }
        }
    }
}

extension [RecordingEvent] {
    /// The report with which a recording has ended.
    var report: RecordingReport? {
        if case .finished(let report) = last { report } else { nil }
    }
}
