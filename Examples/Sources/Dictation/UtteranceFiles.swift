import ACCAudioRecorder

/// Writes each utterance to a file of its own, which begins a moment before the first word.
struct UtteranceFiles {
    // What recognisers take.
    private static let sampleRate = 16_000.0
    private static let channelCount: UInt32 = 1
    /// The format of the buffers.
    static let format = BufferFormat(sampleRate: sampleRate, channelCount: channelCount)
    /// How many buffers before an utterance belong to it: 0.3 seconds of buffers of 20 ms.
    private static let longestPreRoll = 15

    private let output: RecordingOutput
    private var gate = EnergyGate()
    private var preRoll: [AudioBufferData] = []
    private var writer: AudioFileWriter?

    /// - Parameter pattern: With `{n}`, the number of the utterance.
    init(_ pattern: FilePattern) {
        output = RecordingOutput(.pattern(pattern), container: .wav, encoding: .s16)
    }

    /// The time since somebody last spoke.
    var silence: Duration { gate.silence }

    /// Takes the next buffer.
    ///
    /// - Returns: The report of a file that the buffer has completed; nil if it has completed none.
    mutating func take(_ buffer: AudioBufferData) async throws -> OutputReport? {
        gate.update(with: buffer)
        guard gate.isOpen else {
            preRoll = (preRoll + [buffer]).suffix(Self.longestPreRoll)
            return try await endUtterance()
        }
        if writer == nil {
            writer = try await AudioFileWriter(output, sampleRate: Self.sampleRate, channelCount: Self.channelCount)
        }
        for buffer in preRoll + [buffer] { try await writer?.write(buffer) }
        preRoll = []
        return nil
    }

    /// Completes the file of the current utterance, if there is one.
    mutating func endUtterance() async throws -> OutputReport? {
        defer { writer = nil }
        return try await writer?.finish()
    }
}
