import ACCAudioRecorder
import Foundation

/// Finds utterances by their energy: a buffer is speech if it is well above the level of the room.
///
/// Music and a slammed door are speech as well. A trained detector has the same two properties, and takes its place.
struct EnergyGate {
    /// How far above the room speech is, in dB.
    private static let margin: Float = 9
    /// The level that is silence in every room, in dBFS.
    private static let floor: Float = -60
    /// How long a pause within an utterance may be.
    private static let hold = Duration.milliseconds(600)

    /// Whether somebody speaks, or pauses for less than the hold time.
    private(set) var isOpen = false
    /// The time since the last speech.
    private(set) var silence = Duration.zero
    private var quietFrames = 0
    private var room = Self.floor

    /// Listens to the next buffer.
    mutating func update(with buffer: AudioBufferData) {
        let level = Self.level(of: buffer)
        let isSpeech = level > room + Self.margin
        // Downwards quickly and upwards slowly, so that speech does not become the room.
        room = max(Self.floor, room + (level - room) * (level < room ? 0.2 : 0.002))
        quietFrames = isSpeech ? 0 : quietFrames + Int(buffer.frameLength)
        silence = .seconds(Double(quietFrames) / buffer.sampleRate)
        isOpen = isSpeech || isOpen && silence < Self.hold
    }

    /// The root mean square of a buffer in dBFS; minus infinity for digital silence.
    private static func level(of buffer: AudioBufferData) -> Float {
        let power = buffer.withSamples { samples in samples.reduce(0) { $0 + $1 * $1 } / Float(max(samples.count, 1)) }
        return 10 * log10(power)
    }
}
