import ACCAudioRecorder

extension ReportText {
    /// The report of an output: one line per file, or a single line for many files, and a line that says whether the
    /// samples are unaltered.
    struct Output {
        /// The reports of its files in order; not empty.
        var pieces: [OutputReport]

        /// The maximum number of files to list.
        private static let listedCount = 3

        /// Whether a report is that of the next file of the same output.
        func continues(in piece: OutputReport) -> Bool {
            guard let last = pieces.last, piece.firstFrame > 0 else { return false }
            return last.firstFrame + last.frameCount == piece.firstFrame && last.sampleRate == piece.sampleRate
                && last.output.container == piece.output.container
        }

        func lines(_ glyphs: TerminalStyle.Glyphs) -> [String] {
            guard let first = pieces.first, let last = pieces.last, pieces.count > Self.listedCount else {
                return pieces.map { line(Self.name(of: $0), of: [$0]) } + fidelity(glyphs)
            }
            let names = "\(pieces.count) files, \(Self.name(of: first)) to \(Self.name(of: last))"
            return [line(names, of: pieces)] + fidelity(glyphs)
        }

        /// The destination of an output.
        static func name(of output: OutputReport) -> String {
            switch output.output.destination {
            case .file(let path): path
            case .pattern(let pattern): pattern.template
            case .descriptor(1): "(standard output)"
            case .descriptor(let number): "(descriptor \(number))"
            }
        }

        private func line(_ names: String, of pieces: [OutputReport]) -> String {
            let output = pieces[0]
            let frames = pieces.reduce(0) { $0 + $1.frameCount }
            let bytes = pieces.reduce(0) { $0 + $1.byteCount }
            let length = TimeText.clock(Double(frames) / Double(output.sampleRate), decimals: 3)
            let encoding = output.output.encoding.map { " \($0)" } ?? ""
            let map = output.channelMap
            let channelNames = map == .standard(channelCount: map.channelCount) ? "" : " (\(map))"
            let channels = "\(map.channelCount) channel\(map.channelCount == 1 ? "" : "s")\(channelNames)"
            let format = "\(output.output.container)\(encoding), \(output.sampleRate) Hz, \(channels)"
            return "written   \(names): \(length), \(frames) frames, \(format), \(bytes) bytes"
        }

        /// What was converted on request, and what else changed samples; that nothing did, if so.
        private func fidelity(_ glyphs: TerminalStyle.Glyphs) -> [String] {
            let steps = pieces.flatMap(\.processingSteps).reduce(into: [ProcessingStep]()) { all, step in
                if !all.contains(step) { all.append(step) }
            }
            if steps.isEmpty {
                return [pieces.allSatisfy(\.isBitExact) ? "bit-exact yes" : "bit-exact no: frames are missing"]
            }
            let conversions = steps.compactMap { Self.text(ofConversion: $0, glyphs) }
            let others = steps.filter { Self.text(ofConversion: $0, glyphs) == nil }
            let answer = others.contains(where: \.isCertain) ? "no" : "perhaps not"
            return (conversions.isEmpty ? [] : ["converted \(conversions.joined(separator: ", "))"])
                + (others.isEmpty
                    ? [] : ["bit-exact \(answer): \(others.map(\.description).joined(separator: ", "))"])
        }

        /// `48000 → 44100 Hz`; nil if the step was not requested.
        private static func text(ofConversion step: ProcessingStep, _ glyphs: TerminalStyle.Glyphs) -> String? {
            switch step {
            case .resampled(let from, let to): "\(from) \(glyphs.arrow) \(to) Hz"
            case .mixed(let from, let to): "\(from) \(glyphs.arrow) \(to) channel\(to == 1 ? "" : "s")"
            case .requantised(let from, let to): "\(from.pulseName) \(glyphs.arrow) \(to)"
            case .compressed(let container): "lossy \(container)"
            case .nonFiniteReplaced, .sourceVolume, .sinkVolume, .perhapsSinkVolume, .streamVolume, .muted, .filtered,
                .streamsMixed, .streamMissing, .resampledByServer, .perhapsResampledByGraph:
                nil
            }
        }
    }
}
