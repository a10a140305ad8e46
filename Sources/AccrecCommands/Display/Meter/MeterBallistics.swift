import ACCAudioRecorder

/// Turns measured levels into displayed ones: no peak between two draws is missed, and the highest peaks are held for a
/// moment.
struct MeterBallistics {
    private(set) var channels: [RecordingStatus.Channel] = []
    private var holds: [PeakHold] = []
    private var wasDrawn = true
    /// Since when all samples have been zero, and the last update, in seconds.
    private var silence: (since: Double, until: Double)?

    /// For how long all samples must be zero to be called silent, in seconds.
    private static let shortestSilence = 1.0

    /// Whether all samples have been zero for a while.
    var isSilent: Bool { silence.map { $0.until - $0.since >= Self.shortestSilence } ?? false }

    /// - Parameter isRecorded: Whether clipped samples are in the recording, and count.
    mutating func update(_ levels: RecordingLevels, isRecorded: Bool = true) {
        if channels.count != levels.channels.count {
            channels = levels.channels.map { _ in RecordingStatus.Channel() }
            holds = levels.channels.map { _ in PeakHold() }
        }
        for (index, level) in levels.channels.enumerated() {
            let peak = level.peakDecibels
            holds[index].update(peak, at: levels.timestamp)
            channels[index].isMeasured = true
            channels[index].rms = level.rmsDecibels
            channels[index].peak = wasDrawn ? peak : max(channels[index].peak, peak)
            channels[index].held = holds[index].decibels
            if isRecorded { channels[index].clippedCount += level.clippedCount }
        }
        let isZero = levels.channels.allSatisfy { $0.peak == 0 }
        silence = isZero ? (silence?.since ?? levels.timestamp, levels.timestamp) : nil
        wasDrawn = false
    }

    /// Empties the bars because nothing is being measured.
    mutating func clear() {
        for index in channels.indices {
            channels[index] = RecordingStatus.Channel(
                clippedCount: channels[index].clippedCount, isMeasured: false)
            holds[index] = PeakHold()
        }
        silence = nil
    }

    /// Forgets held peaks and clipping.
    mutating func resetPeaks() {
        for index in channels.indices {
            channels[index].clippedCount = 0
            channels[index].held = channels[index].peak
            holds[index] = PeakHold()
        }
    }

    /// Call after drawing: the next update starts new peaks.
    mutating func didDraw() {
        wasDrawn = true
    }
}

extension MeterBallistics {
    /// The highest peak of a channel, held for a while and then decaying.
    private struct PeakHold {
        /// How long a peak is held, in seconds.
        private static let holdTime = 1.5
        /// The decay after that, in dB per second.
        private static let decay: Float = 20

        /// In dBFS.
        private(set) var decibels = DecibelText.silence
        private var setAt = 0.0
        private var lastUpdate = 0.0

        /// Updates with a peak in dBFS and its time in seconds.
        mutating func update(_ peak: Float, at time: Double) {
            if peak >= decibels {
                decibels = peak
                setAt = time
            } else if time - setAt > Self.holdTime {
                decibels = max(decibels - Self.decay * Float(time - lastUpdate), peak)
                // A level below the bar would be read as a measured one.
                if decibels < LevelScale.floor { decibels = peak }
            }
            lastUpdate = time
        }
    }
}
