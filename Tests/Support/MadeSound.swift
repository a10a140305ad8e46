import ACCAudioRecorder
import Foundation

/// Twelve seconds of made sound, as 16-bit samples: noise with more power at low frequencies whose level rises and falls as that
/// of speech, in part the same in all channels.
public struct MadeSound: Sendable {
    /// In hertz.
    public static let sampleRate = 48_000
    /// Frames of the sound.
    public static let frameCount = 12 * sampleRate

    private var channels: [[Float]]

    /// Makes the sound.
    public init(channelCount: Int) {
        var random = SplitMix64(seed: 1)
        var (common, own) = (Float(0), [Float](repeating: 0, count: channelCount))
        channels = Array(repeating: [], count: channelCount)
        for channel in channels.indices { channels[channel].reserveCapacity(Self.frameCount) }
        for frame in 0..<Self.frameCount {
            let level = Self.level(at: frame)
            common = 0.97 * common + Self.noise(&random)
            for channel in channels.indices {
                own[channel] = 0.97 * own[channel] + Self.noise(&random)
                channels[channel].append(Self.rounded(level * (common + own[channel])))
            }
        }
    }

    private static func noise(_ random: inout SplitMix64) -> Float {
        Float(Int32(truncatingIfNeeded: random.next() >> 32)) / Float(1 << 31)
    }

    /// Four words a second.
    private static func level(at frame: Int) -> Float {
        0.003 + 0.02 * abs(sin(Float(frame) * 4 * .pi / Float(sampleRate)))
    }

    private static func rounded(_ sample: Float) -> Float {
        sample.isNaN ? sample : (sample * 32_768).rounded() / 32_768
    }

    /// Replaces samples of a channel.
    ///
    /// - Parameter make: Gets the old samples from the one to replace on; earlier ones have negative indexes, and are new.
    public mutating func set(_ frames: Range<Int>, of channel: Int, _ make: (UnsafePointer<Float>) -> Float) {
        channels[channel].withUnsafeMutableBufferPointer { samples in
            for frame in frames { samples[frame] = Self.rounded(make(UnsafePointer(samples.baseAddress! + frame))) }
        }
    }

    /// Makes a channel of another one.
    public mutating func copy(_ channel: Int, to other: Int, _ make: (Float) -> Float) {
        channels[other] = channels[channel].map { Self.rounded(make($0)) }
    }

    /// Adds a sine, whose frequency is in hertz.
    public mutating func add(_ amplitude: Float, frequency: Double, to channel: Int) {
        for frame in channels[channel].indices {
            let phase = 2 * .pi * frequency * Double(frame) / Double(Self.sampleRate)
            channels[channel][frame] = Self.rounded(channels[channel][frame] + amplitude * Float(sin(phase)))
        }
    }

    /// A check for this sound.
    public var check: SignalCheck {
        SignalCheck(
            sampleRate: Double(Self.sampleRate), channelMap: .standard(channelCount: UInt32(channels.count)),
            integerBits: 16)
    }

    /// Feeds the sound in blocks.
    ///
    /// - Parameters:
    ///   - frames: Some of it; nil for all.
    ///   - shift: How much later the frames are said to be than they are.
    ///   - found: Called after each block with the next frame and what was found.
    public func feed(
        _ check: inout SignalCheck, blockFrames: Int, from frames: Range<Int>? = nil, shiftedBy shift: Int = 0,
        found: ((Int, [SignalFinding]) -> Void)? = nil
    ) {
        let frames = frames ?? 0..<Self.frameCount
        for first in stride(from: frames.lowerBound, to: frames.upperBound, by: blockFrames) {
            let end = min(first + blockFrames, frames.upperBound)
            let block = (first..<end).flatMap { frame in channels.map { $0[frame] } }
            block.withUnsafeBufferPointer { check.add($0, at: first + shift) }
            if let found, check.hasFindings { found(end, check.takeFindings()) }
        }
    }

    /// What is found of it in the end.
    public func findings(blockFrames: Int = 4_096) -> [SignalFinding] {
        var check = self.check
        feed(&check, blockFrames: blockFrames)
        _ = check.finish()
        return check.takeFindings().filter { !$0.isOngoing }
    }

    /// The samples, interleaved.
    public var samples: [Float] {
        (0..<Self.frameCount).flatMap { frame in channels.map { $0[frame] } }
    }

    /// The sound as a file of 16 bits.
    public var file: PCMFile {
        let samples = samples.map { Int16(min(max($0 * 32_768, -32_768), 32_767)) }
        return PCMFile(rate: Self.sampleRate, channels: channels.count, samples)
    }
}

extension SignalCheck {
    /// Adds interleaved samples from the first frame on.
    public mutating func add(all samples: [Float]) {
        samples.withUnsafeBufferPointer { add($0, at: 0) }
    }
}

extension MadeSound {
    /// Writes the sound to a file, and to `bad.wav` with ten milliseconds of zeros in its second channel, after two seconds.
    public static func writeGoodAndBad(to directory: URL, good name: String = "good.wav") throws {
        var sound = MadeSound(channelCount: 2)
        try sound.file.write(wav: directory.appending(path: name))
        sound.set(96_000..<96_480, of: 1) { _ in 0 }
        try sound.file.write(wav: directory.appending(path: "bad.wav"))
    }
}
