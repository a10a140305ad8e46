import Foundation

/// Samples that were played in a loop, to compare recordings with.
///
/// A late machine makes servers leave audio out: PipeWire skips cycles, for each channel by itself, and a player that is
/// late leaves silence. Neither is the recorder's fault, and what is recorded around them has to be exact all the same.
public struct PlayedLoop: Sendable {
    private let samples: [Double]
    private let channels: Int

    /// - Parameters:
    ///   - samples: Interleaved, with full scale at 1; any 64 of them in a row are unique, as in noise.
    ///   - channels: How many.
    public init(_ samples: [Double], channels: Int) {
        precondition(!samples.isEmpty && samples.count % channels == 0)
        (self.samples, self.channels) = (samples, channels)
    }

    /// The same for samples of 16 bits.
    public init(_ samples: [Int16], channels: Int) {
        self.init(samples.map { Double($0) / 32_768 }, channels: channels)
    }

    /// Describes how a recording differs from what was played, or returns nil.
    ///
    /// - Parameters:
    ///   - recorded: Interleaved, with full scale at 1.
    ///   - tolerance: How far a sample may be off.
    ///   - silence: The maximum number of frames before all channels have sound.
    ///   - mayBreak: Whether the server may have left out cycles, or played silence because the player was late.
    public func fault(
        in recorded: [Double], tolerance: Double = 0, silence: Int, mayBreak: Bool
    ) -> String? {
        guard let fault = faultOfWhole(recorded, tolerance, silence) else { return nil }
        guard mayBreak else { return fault }
        return (0..<channels).lazy.compactMap { channel in
            PlayedLoop(Self.channel(channel, of: samples, channels), channels: 1)
                .faultBetweenBreaks(Self.channel(channel, of: recorded, channels), tolerance, silence)
                .map { "channel \(channel): \($0)" }
        }.first
    }

    /// The same without any break.
    private func faultOfWhole(_ recorded: [Double], _ tolerance: Double, _ silence: Int) -> String? {
        let start =
            (0..<channels).map { channel in
                stride(from: channel, to: recorded.count, by: channels).first { recorded[$0] != 0 } ?? recorded.count
            }.max().map { $0 / channels } ?? 0
        guard start <= silence, start * channels < recorded.count else { return "silence in \(start) frames" }
        let sound = recorded[(start * channels)...]
        guard let offset = place(of: sound, from: 0, every: channels, tolerance) else {
            return "nothing of what was played in frame \(start)"
        }
        return firstDifference(of: sound, from: offset, tolerance).map { "another sample in frame \($0 / channels)" }
    }

    /// The same for a single channel that may break.
    private func faultBetweenBreaks(_ recorded: [Double], _ tolerance: Double, _ silence: Int) -> String? {
        let start = recorded.firstIndex { $0 != 0 } ?? recorded.count
        guard start <= silence, start < recorded.count else { return "silence in \(start) frames" }
        var sound = recorded[start...]
        guard var offset = place(of: sound, from: 0, every: 1, tolerance) else {
            return "nothing of what was played in frame \(start)"
        }
        while let difference = firstDifference(of: sound, from: offset, tolerance) {
            let end = offset + difference - sound.startIndex
            let rest = recorded[difference...]
            let afterSilence = rest.drop { $0 == 0 }
            if let next = place(of: rest, from: end, every: Tolerance.cycle, tolerance) {
                (sound, offset) = (rest, next)
            } else if afterSilence.startIndex > difference,
                let next = place(of: afterSilence, from: end, every: 1, tolerance)
            {
                (sound, offset) = (afterSilence, next)
            } else {
                return "another sample in frame \(difference)"
            }
        }
        return nil
    }

    private static func channel(_ channel: Int, of samples: [Double], _ channels: Int) -> [Double] {
        stride(from: channel, to: samples.count, by: channels).map { samples[$0] }
    }

    private func firstDifference(of part: ArraySlice<Double>, from offset: Int, _ tolerance: Double) -> Int? {
        part.indices.first { index in
            abs(part[index] - samples[(offset + index - part.startIndex) % samples.count]) > tolerance
        }
    }

    /// The place among the played samples where these begin, one of those that are so many samples apart.
    private func place(of part: ArraySlice<Double>, from offset: Int, every step: Int, _ tolerance: Double) -> Int? {
        stride(from: offset, to: offset + samples.count, by: step)
            .first { firstDifference(of: part.prefix(64), from: $0, tolerance) == nil }
    }
}
