import Foundation
import TestSupport
import Testing

@testable import ACCAudioRecorder

/// By how much one recording of a sound is later than another.
@Suite(.tags(.skipsThreadSanitizer, .skipsAddressSanitizer)) struct SoundOffsetTests {
    private static let rate = 16_000.0

    /// Noise of a room with a clap of 0.1 s at a time, in seconds.
    private func room(clapAt time: Double?, gain: Double = 1, seed: UInt64) -> [Float] {
        var noise = SplitMix64(seed: seed)
        var clap = SplitMix64(seed: 1)
        var samples = (0..<Int(6 * Self.rate)).map { _ in Double.random(in: -0.002...0.002, using: &noise) }
        if let time {
            let first = Int((time * Self.rate).rounded())
            for frame in 0..<1_600 {
                samples[first + frame] += gain * exp2(-Double(frame) / 200) * .random(in: -0.5...0.5, using: &clap)
            }
        }
        return samples.map { Float($0) }
    }

    @Test(
        "A clap tells to the frame how much later it is, quieter, inverted and in noise",
        arguments: [0, 0.000_5, 0.25, -0.25, 0.99, -0.99], [1, -0.3])
    func offset(seconds: Double, gain: Double) throws {
        let first = room(clapAt: 3, seed: 2)
        let other = room(clapAt: 3 + seconds, gain: gain, seed: 3)
        let found = try #require(SoundOffset.seconds(of: other, behind: first, sampleRate: Self.rate))
        #expect(abs(found - seconds) < 0.5 / Self.rate, "\(found)")
    }

    @Test("Without a sound in common there is no answer")
    func nothing() {
        let first = room(clapAt: 3, seed: 2)
        let silence = [Float](repeating: 0, count: first.count)
        for other in [room(clapAt: nil, seed: 3), silence, []] {
            #expect(SoundOffset.seconds(of: other, behind: first, sampleRate: Self.rate) == nil)
            #expect(SoundOffset.seconds(of: first, behind: other, sampleRate: Self.rate) == nil)
        }
    }
}
