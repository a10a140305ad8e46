import Foundation
import TestSupport

@testable import ACCAudioRecorder
@testable import AccrecCommands

extension PageTake {
    /// A take with curves of noise, whose strings all are this one.
    static func made(
        _ text: String = "take.wav", detail: PageDetail = .fine, channels: Int = 2, places: [TakePlace]? = nil,
        seconds: Double = 4
    ) -> PageTake {
        var random = SplitMix64(seed: 7)
        let frames = Int(seconds * 8_000)
        let samples = (0..<frames * channels).map { _ in Float.random(in: -0.5...0.5, using: &random) }
        var overview = TakeOverview(
            channelCount: UInt32(channels), sampleRate: 8_000, detail: detail.overview, expectedFrames: frames)
        samples.withUnsafeBufferPointer { overview.append($0) }
        var loudness = LoudnessCurve(capacity: detail.loudnessPoints, expectedLength: .seconds(seconds))
        for index in 0..<Int(seconds * 10) { loudness.append(momentary: -20 - Double(index), shortTerm: nil) }
        let curves = TakeCurves(
            overview.waveform, overview.spectrogram, loudness, sampleRate: 8_000,
            names: (0..<channels).map { _ in text }, target: -23, mostLanes: detail.lanes)
        let marks = TakePlace.Class.allCases.enumerated().map { index, type in
            TakePlace(
                type, kind: type == .marker ? nil : text, text, start: Double(index) / 2, end: Double(index) / 2 + 0.2,
                channels: [1])
        }
        return PageTake(
            name: text, folder: text, address: "./take.wav", container: text, format: text, seconds: seconds,
            verdict: .failed, loudness: -23, truePeak: -1, facts: [Fact(name: text, text: text)],
            places: places ?? marks,
            mostPlaces: detail.places, curves: curves)
    }
}
