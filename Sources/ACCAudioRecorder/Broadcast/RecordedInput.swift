/// One of several inputs of a recording: which of its channels it has, and how it lies beside the first.
///
/// In JSON it is an object with `name`, `source`, `channels` (its channels in the recording, counted from 1), `gain` (a factor),
/// `delay`, `offset`, `uncertainty` and `correction` in seconds, `clock_ppm` and `system_ppm`; numbers that are not known are left out.
public struct RecordedInput: Sendable, Hashable {
    /// The input, as the options of `accrec` name it: `mic`, `app:zoom`, `desktop`, or the requested source.
    public let name: String
    /// What was recorded last.
    public let source: AudioSource
    /// Its channels in the recording, counted from 1; those of all if they were mixed.
    public let channels: [Int]
    /// By what its samples were multiplied.
    public let gain: Float
    /// By how much it was placed later than it was captured.
    public let delay: Duration
    /// By how much its first frame lies after the first one of any input; nil without a frame.
    public let offset: Duration?
    /// How uncertain its place beside the first input is: half of the capture times that the server stated lie within it. Nil
    /// for the first, and where it is not placed yet.
    public let uncertainty: Duration?
    /// By how much its clock is slow beside that of the first input, in parts per million; nil for the first.
    public let clockDrift: Double?
    /// By how much its clock is slow beside the system's monotonic clock, in parts per million; nil if it was heard for too short. Of
    /// the other sign than ``RecordingReport/ClockEstimate/drift``.
    public let systemDrift: Double?
    /// By how much it was moved at most once it was placed.
    public let correction: Duration

    /// Creates one, for tests of code that receives reports.
    public init(
        name: String, source: AudioSource, channels: [Int], gain: Float = 1, delay: Duration = .zero,
        offset: Duration? = nil, uncertainty: Duration? = nil, clockDrift: Double? = nil, systemDrift: Double? = nil,
        correction: Duration = .zero
    ) {
        self.name = name
        self.source = source
        self.channels = channels
        self.gain = gain
        self.delay = delay
        self.offset = offset
        self.uncertainty = uncertainty
        self.clockDrift = clockDrift
        self.systemDrift = systemDrift
        self.correction = correction
    }
}

extension RecordedInput: Codable {
    private enum CodingKeys: String, CodingKey {
        case name, source, channels, gain, delay, offset, uncertainty, correction
        case clockDrift = "clock_ppm"
        case systemDrift = "system_ppm"
    }
}
