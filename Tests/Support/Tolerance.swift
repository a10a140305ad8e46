/// The inexactness of servers that tests of the recorder allow for, as it was measured with PulseAudio 16.1 and PipeWire
/// 0.3.65.
///
/// Lengths are in frames at 48 kHz unless something else is stated. For other rates, see ``frames(_:at:)``.
public enum Tolerance {
    /// A length at another sample rate.
    public static func frames(_ length: Int, at rate: Int) -> Int { length * rate / 48_000 }

    // MARK: - The length of a gap

    // The recorder measures a gap by the clock, between what came before it and what comes after it. A server delivers
    // blocks, and states a block's time only to within a part of it.

    /// How far the length of a gap may be off: a block of 50 ms, which a null sink renders at a time.
    public static let gap = 2_400
    /// The same after a stream has come back to its sink: at most 30 ms on a busy machine, since a block of 50 ms is
    /// captured as a whole.
    public static let gapOfMove = 1_440
    /// The same for the median of several moves.
    public static let medianGapOfMove = 240
    /// The same where a source has come back and the file is compared with its clock: arrivals are exact to 3 ms, and the
    /// test reads them in a program of its own.
    public static let gapOfReplugging = 480
    /// The same for audio that was dropped from a source that otherwise delivers each block of 10 ms in time.
    public static let gapOfDroppedAudio = 480
    /// How far the account of a long loss may be off: a hundredth of it and 30 ms, as promised. A server that begins
    /// again after a stop of many seconds skips cycles.
    public static func account(ofLoss missing: Int) -> Int { missing / 100 + 1_440 }
    /// What may be missing without a gap: a loss of less than 60 ms looks like a delay, and jitter adds 40 ms.
    public static let unreportedLoss = 4_800

    // MARK: - The place of a gap

    /// How far the place of dropped audio may be off: a server's stated latency is right to within 20 ms.
    public static let place = 960

    // MARK: - What is missing where a stream changes

    /// What is lost with a source or a stream that ends: a fragment that the server has not sent yet.
    public static let fragmentInTransit = 4_800
    /// What a remap source of PipeWire drops shortly after its start, when its loopback adjusts its latency.
    public static let startOfRemapSource = 512
    /// How long after its start that may happen.
    public static let startOfRecording = 4_800
    /// The silence with which a remap source of PipeWire may begin: a cycle.
    public static let silenceAtStart = 1_024
    /// How long PipeWire may take to link all channels of a stream, one by one, which are silent until then.
    public static let linking = 4_800

    // MARK: - Cycles that a server skips on a busy machine

    /// PipeWire's sinks skip cycles, and so multiples of this many frames, at any rate.
    public static let cycle = 64
    /// PipeWire's pipe source skips multiples of this many frames, at any rate.
    public static let cycleOfPipeSource = 128
    /// Whether a late server may have left out so many frames without a word.
    public static func isSkipped(_ frames: Int, by kind: ServerKind) -> Bool {
        kind == .pipeWire && frames % cycle == 0 && (1...unreportedLoss).contains(frames)
    }
    /// PipeWire never skips as many frames as this at once: 0.7 s.
    public static let skippedCycles = 33_600

    // MARK: - Delivery

    /// What a pipe source holds of what was fed, at any rate of two channels of 16 bits: on PulseAudio 4,096 bytes in the
    /// FIFO and as many in its read buffer; on PipeWire 65,536 bytes in the FIFO, and 200 ms that it has read.
    public static func heldByPipeSource(_ kind: ServerKind) -> Int {
        kind == .pulseAudio ? 2 * 4_096 / 4 : 65_536 / 4 + 9_600
    }
    /// At least one in so many fragments arrives alone; a server delivers several at once, and a busy machine is late.
    public static let fragmentsOfOneAlone = 4
    /// How late a line of levels may be on a busy machine, in seconds.
    public static let delayOfLevels = 1.0

    // MARK: - Times

    // The capture time of a frame follows from the latency that the server states, which is an estimate.

    /// How far the time of a frame may be off, in seconds: stated latencies jitter by 13 ms, and on PipeWire come in
    /// steps of a cycle of 43 ms.
    public static let time = 0.05
    /// The same for the start of a recording, where the server has stated one latency.
    public static let timeOfStart = 0.1
    /// The same for a start with audio from before it, which includes the delivery of a command to the recorder.
    public static let timeOfTrigger = 0.2
    /// How far the times of two sources that hear the same may differ as PulseAudio states them when it is asked, in seconds:
    /// measured, medians of a second by 0.3 ms on a busy machine.
    public static let placeOfTrack = 0.002
}
