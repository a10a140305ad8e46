import Glibc
import Testing

@testable import ACCAudioRecorder

@Suite struct ProgrammeMeterTests {
    private static let form = StreamFormat(sampleRate: 48_000, channelMap: .standard(channelCount: 2))

    /// Ten seconds of a tone in two channels.
    private static func tone(decibels: Double) -> [Float] {
        (0..<480_000).flatMap { frame in
            let sample = Float(pow(10, decibels / 20) * sin(2 * .pi * 1_000 * Double(frame) / 48_000))
            return [sample, sample]
        }
    }

    @Test("The loudness of a file is that of its samples, whatever their type and the blocks that they come in")
    func loudness() throws {
        let tone = Self.tone(decibels: -23)
        let words = tone.map { Int32($0 * 0x1p31) }
        for blockFrames in [1, 480, 4_801, 480_000] {
            var floats = ProgrammeMeter(Self.form)
            var integers = ProgrammeMeter(Self.form)
            for first in stride(from: 0, to: tone.count, by: 2 * blockFrames) {
                let part = first..<min(first + 2 * blockFrames, tone.count)
                tone.withUnsafeBufferPointer { floats.add(UnsafeBufferPointer(rebasing: $0[part])) }
                words.withUnsafeBufferPointer { integers.add(UnsafeBufferPointer(rebasing: $0[part])) }
            }
            for loudness in [floats.finish(), integers.finish()] {
                // A tone in both channels is as loud as its level (EBU Tech 3341, signal 1).
                #expect(abs(try #require(loudness.integrated) + 23) < 0.1)
                #expect(abs(try #require(loudness.momentary) + 23) < 0.1)
                #expect(abs(try #require(loudness.shortTerm) + 23) < 0.1)
                #expect(abs(try #require(loudness.truePeak) + 23) < 0.1)
                #expect(try #require(loudness.range) < 0.1)
            }
        }
    }
}
