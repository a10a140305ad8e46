import ACCAudioRecorder

// MARK: - As text

extension SignalFigures {
    /// What was measured, in words: loudness, true peak, and the levels of each channel.
    ///
    /// - Parameter sampleRate: In Hz.
    func measurements(at sampleRate: Double) -> [(name: String, text: String)] {
        [("loudness", loudness(at: sampleRate)), ("true peak", level(truePeak, "dBTP"))]
            + channels.enumerated().map { ("channel \($0 + 1)", text(of: $1)) }
    }

    private func loudness(at sampleRate: Double) -> String {
        guard let integrated else {
            let least = Self.leastLoudnessSeconds
            return Double(frameCount) < sampleRate * least
                ? "too short to measure: less than \(TimeText.length(least))" : "below -70 LUFS"
        }
        var text = "\(LevelText.decimal(integrated)) LUFS"
        if let range { text += ", range \(LevelText.decimal(range)) LU" }
        if let momentary { text += ", momentary at most \(LevelText.decimal(momentary))" }
        if let shortTerm { text += ", short-term at most \(LevelText.decimal(shortTerm))" }
        return text
    }

    private func text(of channel: SignalFigures.Channel) -> String {
        var text = "peak \(level(channel.peakDecibels, "dBFS"))"
        if let speech = channel.speechLevel, let noise = channel.noiseFloor, let distance = channel.distance {
            text +=
                ", speech \(LevelText.decimal(speech)), noise \(LevelText.decimal(noise)), "
                + "\(LevelText.decimal(distance)) dB apart"
        }
        if let bandwidth = channel.bandwidth { text += ", up to \(LevelText.decimal(bandwidth / 1_000)) kHz" }
        return text
    }

    private func level(_ level: Double, _ unit: String) -> String {
        level <= Double(DecibelText.silence) ? "none" : "\(LevelText.decimal(level)) \(unit)"
    }
}

extension SignalFigures.Channel {
    /// From the noise floor to the level of speech, in dB; nil without sound.
    var distance: Double? { speechLevel.flatMap { speech in noiseFloor.map { speech - $0 } } }
}

/// Formats figures of a signal.
enum LevelText {
    /// With one digit behind the point.
    static func decimal(_ value: Double) -> String {
        let tenths = Int((min(max(value, -1e9), 1e9) * 10).rounded())
        return (tenths < 0 ? "-" : "") + "\(abs(tenths) / 10).\(abs(tenths) % 10)"
    }
}
