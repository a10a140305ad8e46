import ACCAudioRecorder

/// Gathers the curves of a file for a page or a picture, while the file is checked.
struct CurveRecorder: ~Copyable {
    private let mostLanes: Int
    private let sampleRate: Int
    private let channelNames: [String]
    private var overview: TakeOverview
    private var loudness: LoudnessCurve

    /// - Parameter blockFrames: The frames of each block but the last one.
    init(_ detail: PageDetail, of reader: borrowing SoundFileReader, blockFrames: Int) {
        let rate = Double(reader.sampleRate)
        (mostLanes, sampleRate, channelNames) = (detail.lanes, reader.sampleRate, reader.channelMap.labels)
        overview = TakeOverview(
            channelCount: reader.channelCount, sampleRate: reader.sampleRate, detail: detail.overview,
            expectedFrames: reader.frameCount)
        loudness = LoudnessCurve(
            capacity: detail.loudnessPoints, interval: Double(blockFrames) / rate,
            expectedSeconds: Double(reader.frameCount) / rate)
    }

    /// Adds a block, which the check already has.
    mutating func add(_ samples: UnsafeBufferPointer<Float>, measuredBy check: borrowing SignalCheck) {
        overview.append(samples)
        loudness.append(momentary: check.momentaryLoudness, shortTerm: check.shortTermLoudness)
    }

    /// The curves of all blocks.
    ///
    /// - Parameter target: The loudness that was asked for, in LUFS.
    consuming func finish(target: Double?) -> TakeCurves {
        TakeCurves(
            overview.waveform, overview.spectrogram, loudness, sampleRate: sampleRate, names: channelNames,
            target: target, mostLanes: mostLanes)
    }
}
