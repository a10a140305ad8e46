/// What is done to one of several inputs of a recording before they are put together.
public struct InputSettings: Sendable, Hashable {
    /// The longest ``delay``, in seconds.
    public static let longestDelay = 5.0

    /// Its channels to record, in this order, counted from 1; empty, the default, for those that the configuration selects.
    public var selectedChannels: [Int]
    /// By how much it is amplified, in dB, from -120 to 60; 0 by default, and then its samples do not change. The sum is
    /// limited where a file is written, and only in a file of integers.
    public var gain: Double
    /// How many seconds later than it was captured it is placed, from -5 to 5; 0 by default. The levels of a recording
    /// are later by the greatest difference between two inputs.
    public var delay: Double

    /// Creates settings.
    public init(selectedChannels: [Int] = [], gain: Double = 0, delay: Double = 0) {
        self.selectedChannels = selectedChannels
        self.gain = gain
        self.delay = delay
    }

    func validate(for input: RecordingInput) throws(ACCAudioRecorderError) {
        try ACCAudioRecorder.Configuration.validate(selectedChannels)
        guard (-120...60).contains(gain) else {
            throw ACCAudioRecorder.Configuration.refusal(
                "'\(input.name)' with a gain of \(gain) dB", remedy: "Choose from -120 to 60 dB.")
        }
        guard (-Self.longestDelay...Self.longestDelay).contains(delay) else {
            throw ACCAudioRecorder.Configuration.refusal(
                "'\(input.name)' with a delay of \(delay) s", remedy: "Choose from -5 to 5 s.")
        }
    }
}
