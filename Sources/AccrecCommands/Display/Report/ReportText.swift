import ACCAudioRecorder
import FoundationEssentials

/// The report of a recording as text: problems first, then the outputs.
struct ReportText {
    let report: RecordingReport
    let glyphs: TerminalStyle.Glyphs
    /// The level overview; empty if levels were not measured.
    var levelLine = ""

    /// How many gaps are listed one by one.
    private static let listedGaps = 8

    /// What was lost, or is probably not meant.
    var problems: [String] { losses + mutes + silence + signal }

    /// What was recorded.
    var facts: [String] {
        outputs.flatMap { $0.lines(glyphs) } + report.outputs.filter(\.wasClosed).map { end("ended     ", $0) }
            + [source] + inputs + start
            + levels + loudness + lost + leftOut + levelOverview
    }

    /// The reports grouped by output.
    private var outputs: [Output] {
        report.outputs.reduce(into: []) { outputs, piece in
            if outputs.last?.continues(in: piece) == true {
                outputs[outputs.count - 1].pieces.append(piece)
            } else {
                outputs.append(Output(pieces: [piece]))
            }
        }
    }

    /// The losses; empty if nothing was lost.
    var losses: [String] {
        var lines: [String] = []
        if report.framesLost > 0 {
            lines.append(loss(of: report.gaps.filter(\.isLoss)))
        }
        let streams = report.streamGaps.filter { $0.input == nil }
        if !streams.isEmpty { lines.append(loss(of: streams, from: " of one stream")) }
        for input in report.inputs.map(\.name) {
            let gaps = report.streamGaps.filter { $0.input == input }
            if !gaps.isEmpty { lines.append(loss(of: gaps, from: " of '\(input)'")) }
        }
        for output in report.outputs where !output.gaps.isEmpty {
            lines.append(loss(of: output.gaps, from: " in \(Output.name(of: output))"))
        }
        lines += report.outputs.filter { $0.failure != nil && !$0.wasClosed }.map { end("ENDED     ", $0) }
        if report.nonFiniteCount > 0 {
            lines.append("INVALID   \(report.nonFiniteCount) NaN or infinite samples, replaced")
        }
        if report.clippedCount > 0 {
            let samples = "\(report.clippedCount) sample\(report.clippedCount == 1 ? "" : "s")"
            lines.append("CLIPPED   \(samples) at full scale: \(clippingRemedy)")
        }
        return lines
    }

    /// What to lower. What a sink or an application plays has no microphone's gain.
    private var clippingRemedy: String {
        let clipped = report.levels.indices.filter { report.levels[$0].clippedCount > 0 }.map { $0 + 1 }
        let inputs = report.inputs.filter { !$0.channels.allSatisfy { !clipped.contains($0) } }.map(\.source)
        let arePlayed = (inputs.isEmpty ? [report.source] : inputs).map { [.monitor, .application].contains($0.kind) }
        return switch (arePlayed.contains(true), arePlayed.contains(false)) {
        case (true, false): "lower the volume of what plays"
        case (true, true): "lower the gain, and the volume of what plays"
        default: "lower the gain"
        }
    }

    private var mutes: [String] {
        guard !report.mutes.isEmpty else { return [] }
        let places = report.mutes.prefix(Self.listedGaps).map { mute in
            let (start, end) = (mute.frames.lowerBound, mute.frames.upperBound)
            let times = [start, end].map { TimeText.clock(Double($0) / report.sampleRate, decimals: 1) }
            let name = report.inputs.isEmpty ? "" : " ('\(mute.source)')"
            return "\(times[0]) to \(times[1])\(name)"
        }
        let more = report.mutes.count > Self.listedGaps ? ", and \(report.mutes.count - Self.listedGaps) more" : ""
        return ["MUTED     \(places.joined(separator: ", "))\(more)"]
    }

    /// Not a loss, since a source may well be silent.
    private var silence: [String] {
        guard report.frameCount > 0, !report.levels.isEmpty, report.levels.allSatisfy({ $0.peak == 0 }),
            !isMuted(0..<report.frameCount, on: Array(1...report.levels.count))
        else { return [] }
        return ["SILENT    every sample is zero: check the source, its volume and its mute switch"]
    }

    /// What in the signal is probably not meant. If all is silent, or a source is muted, that has been said.
    private var signal: [String] {
        guard silence.isEmpty else { return [] }
        let findings = report.findings.filter {
            ![.silence, .dead].contains($0.kind) || !isMuted($0.frames, on: $0.channels)
        }
        return SignalText(sampleRate: report.sampleRate).lines(findings)
    }

    /// Whether channels are silent because their source was muted, of which the server tells up to a second late.
    private func isMuted(_ frames: Range<Int>, on channels: [Int]) -> Bool {
        let second = Int(report.sampleRate)
        return report.mutes.contains { mute in
            let isWithin =
                mute.frames.lowerBound <= frames.lowerBound + second
                && mute.frames.upperBound >= frames.upperBound - second
            let muted = report.inputs.filter { [$0.name, $0.source.name].contains(mute.source) }.flatMap(\.channels)
            return isWithin && (report.inputs.isEmpty || channels.allSatisfy(muted.contains))
        }
    }

    private var loudness: [String] {
        guard let figures = report.figures, let integrated = figures.integrated else { return [] }
        var parts = ["\(Self.decimal(integrated)) LUFS"]
        if let range = figures.range { parts.append("range \(Self.decimal(range)) LU") }
        parts.append("true peak \(Self.decimal(figures.truePeak)) dBTP")
        return ["loudness  " + parts.joined(separator: ", ")]
    }

    private static func decimal(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }

    private func end(_ label: String, _ output: OutputReport) -> String {
        let end = TimeText.clock(Double(output.firstFrame) / output.sampleRate + output.length.seconds, decimals: 3)
        return "\(label)\(Output.name(of: output)) at \(end): \(output.failure?.failure?.cause ?? "")"
    }

    /// - Parameter subject: What alone lacks them; empty where the recording does.
    private func loss(of gaps: [RecordingGap], from subject: String = "") -> String {
        let frames = gaps.reduce(0) { $0 + $1.framesLost }
        let length = TimeText.length(gaps.reduce(0) { $0 + $1.length.seconds })
        let places = gaps.prefix(Self.listedGaps).map { gap in
            let length = gaps.count > 1 ? TimeText.length(gap.length.seconds) + " " : ""
            let time = TimeText.clock(gap.offset.seconds, decimals: 3)
            // The frames of a stream are missing from what is recorded before that.
            if gap.cause == .streamMissing { return "\(length)before \(time)" }
            if gap.input != nil { return "\(length)before \(time) (\(gap.cause))" }
            return "\(length)\(gap.place) (\(gap.cause)\(gap.isFilled ? ", filled with silence" : ""))"
        }
        let further = gaps.dropFirst(Self.listedGaps).reduce(0) { $0 + $1.count }
        let more = further > 0 ? ", and \(further) more" : ""
        return "LOST      \(length)\(subject) (\(frames) frames): \(places.joined(separator: ", "))\(more)"
    }

    private var source: String {
        "source    \(isApplication ? report.source.description : report.source.name): \(report.source.sampleSpec)"
    }

    /// Each of several inputs, with what is known of its clock.
    private var inputs: [String] {
        report.inputs.map { input in
            let channels = input.channels.map(String.init).joined(separator: ",")
            var parts = [
                "\(input.name): \(input.source.name)", "channel\(input.channels.count == 1 ? "" : "s") \(channels)",
            ]
            if let drift = input.clockDrift, let uncertainty = input.uncertainty {
                let place = "\((uncertainty.seconds * 10_000).rounded() / 10)"
                parts.append("clock \(drift < 0 ? "" : "+")\((drift * 10).rounded() / 10) ppm, placed to \(place) ms")
            }
            return "input     " + parts.joined(separator: ", ")
        }
    }

    private var isApplication: Bool { report.source.kind == .application }

    private var start: [String] {
        report.startDate.map { ["started   \(TimeText.dateAndTime(of: Int($0.timeIntervalSince1970)))"] } ?? []
    }

    private var levelOverview: [String] {
        levelLine.isEmpty ? [] : ["levels    \(levelLine)"]
    }

    /// The levels.
    var levels: [String] {
        // A wide terminal does not show them otherwise than a log, and a narrow one does not break them again.
        let columns = StandardError.isTerminal ? min(StandardError.window.columns, 80) : 80
        return ChannelLevelsText(
            levels: report.levels, names: report.source.channelNames, glyphs: glyphs, columns: columns
        ).lines
    }

    /// A loss comes first, among `losses`.
    private var lost: [String] { report.hasLosses ? [] : ["lost      0 frames"] }

    private var leftOut: [String] {
        let pauses = report.gaps.filter { !$0.isLoss }
        guard !pauses.isEmpty else { return [] }
        let length = TimeText.length(pauses.reduce(0) { $0 + $1.length.seconds })
        let count = pauses.reduce(0) { $0 + $1.count }
        return ["left out  \(length) of silence, in \(count) pause\(count == 1 ? "" : "s")"]
    }
}

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
            let count = pieces.reduce(0) { $0 + $1.fileCount }
            guard let first = pieces.first, let last = pieces.last, count > Self.listedCount else {
                return pieces.map { line(Self.name(of: $0), of: [$0]) } + fidelity(glyphs)
            }
            let names = "\(count) files, \(Self.name(of: first)) to \(Self.name(of: last))"
            return [line(names, of: pieces)] + fidelity(glyphs)
        }

        /// The destination of an output.
        static func name(of output: OutputReport) -> String {
            switch output.output.destination {
            case .file(let path): path
            case .pattern(let pattern) where output.fileCount > 1: "\(output.fileCount) files \(pattern.template)"
            case .pattern(let pattern): pattern.template
            case .descriptor(1): "(standard output)"
            case .descriptor(let number): "(descriptor \(number))"
            }
        }

        private func line(_ names: String, of pieces: [OutputReport]) -> String {
            let output = pieces[0]
            let frames = pieces.reduce(0) { $0 + $1.frameCount }
            let bytes = pieces.reduce(0) { $0 + $1.byteCount }
            let length = TimeText.clock(Double(frames) / output.sampleRate, decimals: 3)
            let encoding = output.output.format.encoding.value.map { " \($0)" } ?? ""
            let map = output.channelMap
            // Tracks have no positions, but numbers, which say nothing.
            let isUsual = map == .standard(channelCount: map.channelCount) || map.labels.allSatisfy { Int($0) != nil }
            let channelNames = isUsual ? "" : " (\(map.labels.joined(separator: ", ")))"
            let channels = "\(map.channelCount) channel\(map.channelCount == 1 ? "" : "s")\(channelNames)"
            let format = "\(output.output.container)\(encoding), \(output.sampleRate.plain) Hz, \(channels)"
            return "written   \(names): \(length), \(frames) frames, \(format), \(ByteText.short(bytes))"
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
            case .resampled(let from, let to): "\(from.plain) \(glyphs.arrow) \(to.plain) Hz"
            case .mixed(let from, let to): "\(from) \(glyphs.arrow) \(to) channel\(to == 1 ? "" : "s")"
            case .requantised(let from, let to): "\(from.pulseName) \(glyphs.arrow) \(to)"
            case .compressed(let container): "to \(container), which is lossy"
            case .nonFiniteReplaced, .sourceVolume, .sinkVolume, .perhapsSinkVolume, .streamVolume, .muted, .filtered,
                .streamsMixed, .inputsResampled, .inputsAdded, .inputsAmplified, .streamMissing, .resampledByServer,
                .perhapsResampledByGraph, .unreported:
                nil
            }
        }
    }
}

extension OutputReport {
    /// Whether its reader closed the pipe before the recording was over.
    fileprivate var wasClosed: Bool { failure?.isOfReader == true }
}

extension RecordingGap {
    /// Where it is in the recording: `at 0:02.980`, or `between 0:02.980 and 0:12.500` where only that is known.
    var place: String {
        let end = TimeText.clock(offset.seconds, decimals: 3)
        return span > .zero ? "between \(TimeText.clock((offset - span).seconds, decimals: 3)) and \(end)" : "at \(end)"
    }
}

/// The level over the whole recording as a single line. Each column is the highest peak in its interval.
///
/// Memory is bounded: when all slots are used, adjacent ones are merged.
struct LevelOverview {
    private static let capacity = 256

    private var peaks: [Float] = []
    /// The duration of a slot, in seconds.
    private var interval = 0.05

    /// Adds a buffer's peak in dBFS, with the time of the buffer's end in the recording, in seconds.
    mutating func append(peak: Float, at time: Double) {
        while Int(time / interval) >= Self.capacity {
            peaks = stride(from: 0, to: peaks.count, by: 2).map { peaks[$0..<min($0 + 2, peaks.count)].max()! }
            interval *= 2
        }
        let index = max(Int(time / interval), 0)
        // A buffer that is longer than an interval, or follows a missed one, fills the slots before it.
        while peaks.count < index { peaks.append(peak) }
        if peaks.count == index { peaks.append(peak) } else { peaks[index] = max(peaks[index], peak) }
    }

    /// The overview, at most `columns` wide, from the highest peak down by what speech varies; empty before the first buffer.
    func text(columns: Int, glyphs: TerminalStyle.Glyphs) -> String {
        let width = min(columns, peaks.count)
        let top = max(peaks.max() ?? 0, LevelScale.floor)
        var text = String.UnicodeScalarView()
        for column in 0..<width {
            let first = column * peaks.count / width
            let peak = peaks[first..<(column + 1) * peaks.count / width].max()!
            let part = Double(1 - (top - peak) / Self.range)
            text.append(glyphs.column(filledTo: part.isNaN ? 0 : part, row: 0, of: 1))
        }
        return String(text)
    }

    /// In dB: each of eight steps is 4 dB.
    private static let range: Float = 32
}
