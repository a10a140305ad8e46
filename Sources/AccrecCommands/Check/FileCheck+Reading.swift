import ACCAudioRecorder

extension FileCheck {
    /// About 100 ms, so that curves have the loudness at least as often as it changes.
    private static func blockFrames(sampleRate: Double) -> Int { Int(min(max(sampleRate / 10, 1_024), 16_384)) }
    /// Checks a file. Takes as long as reading it.
    ///
    /// - Parameters:
    ///   - detail: How detailed the curves are; nil for none.
    ///   - progress: Called with the part that is read, from 0 to 1.
    static func read(
        path: String, limits: CheckLimits, curves detail: PageDetail? = nil, progress: (Double) -> Void = { _ in }
    ) throws(RunFailure) -> (check: FileCheck, curves: TakeCurves?) {
        var reader: SoundFileReader
        do throws(SoundFileFailure) {
            reader = try SoundFileReader(path: path)
        } catch {
            throw RunFailure(
                "cannot check '\(path)'", error.description, Self.isRepairable(path) ? Self.repairing : nil)
        }
        let (rate, channelCount) = (reader.sampleRate, reader.channelCount)
        guard SignalCheck.channelCounts.contains(channelCount), rate > 0 else {
            throw RunFailure(
                "cannot check '\(path)'",
                "it has \(channelCount) channels, more than \(SignalCheck.channelCounts.upperBound)")
        }
        let stated = reader.frameCount
        var check = SignalCheck(
            sampleRate: rate, channelMap: reader.channelMap, integerBits: reader.integerBits)
        var found: [SignalFinding] = []
        var frames = 0
        let blockFrames = blockFrames(sampleRate: rate)
        var recorder: CurveRecorder?
        if let detail { recorder = CurveRecorder(detail, of: reader, blockFrames: blockFrames) }
        _ = reader.readBlocks(of: blockFrames) { samples in
            check.add(samples, at: frames)
            recorder?.add(samples, measuredBy: check)
            frames += samples.count / Int(channelCount)
            if check.hasFindings { found += check.takeFindings() }
            progress(stated > 0 ? min(Double(frames) / Double(stated), 1) : 0)
        }
        let figures = check.finish()
        found += check.takeFindings()
        let length = Double(frames) / rate
        let markers = reader.markers(ofFileAt: path)
        let isGap = { (label: String) in label.hasPrefix(GapLabel.prefix) }
        var findings = found.filter { !$0.isOngoing }.map { Finding($0, sampleRate: rate) }
        findings += markers.filter { isGap($0.label) }.map { gap in
            Finding(gap: String(gap.label.dropFirst(GapLabel.prefix.count)), at: gap.offset.seconds)
        }
        let faults = ((try? AudioFileRepair(path: path))?.faults ?? []).map(\.description)
        findings += (faults + Self.omissions(of: reader, frames: frames)).map {
            Finding(.damaged, text: $0, length: length)
        }
        findings += limits.excesses(of: figures).map { Finding(.limit, text: $0.text, value: $0.value, length: length) }
        let result = FileCheck(
            file: path, format: reader.formatNames.joined(separator: ", "), sampleRate: rate, channels: channelCount,
            frames: frames,
            markers: markers.filter { !isGap($0.label) }.map { Marker(offset: $0.offset.seconds, label: $0.label) },
            figures: figures, findings: Self.ordered(findings.filter { !limits.ignore.contains($0.kind) }),
            omitted: check.omittedCount, isRepairable: faults.isEmpty ? nil : true)
        return (result, recorder.take()?.finish(target: limits.loudness?.target))
    }

    /// What of the file cannot be read, in words.
    private static func omissions(of reader: borrowing SoundFileReader, frames: Int) -> [String] {
        var omissions: [String] = []
        if frames < reader.frameCount {
            omissions.append("\(reader.frameCount - frames) frames of \(reader.frameCount) cannot be read")
        }
        if let omission = reader.omission { omissions.append(omission) }
        return omissions
    }

    /// Whether 'accrec repair' has something to correct in a file.
    private static func isRepairable(_ path: String) -> Bool { (try? AudioFileRepair(path: path))?.isWhole == false }

    /// What to do about a damaged file.
    static let repairing = "'accrec repair' writes a file without the damage."

    /// By place; what has none comes last.
    private static func ordered(_ findings: [Finding]) -> [Finding] {
        findings.filter(\.hasPlace).sorted { $0.offset < $1.offset } + findings.filter { !$0.hasPlace }
    }
}

/// Gathers the curves of a file for a page or a picture, while the file is checked.
struct CurveRecorder: ~Copyable {
    private let mostLanes: Int
    private let sampleRate: Double
    private let channelNames: [String]
    private var overview: TakeOverview
    private var loudness: LoudnessCurve

    /// - Parameter blockFrames: The frames of each block but the last one.
    init(_ detail: PageDetail, of reader: borrowing SoundFileReader, blockFrames: Int) {
        (mostLanes, sampleRate, channelNames) = (detail.lanes, reader.sampleRate, reader.channelMap.labels)
        overview = TakeOverview(
            channelCount: reader.channelCount, sampleRate: reader.sampleRate, detail: detail.overview,
            expectedFrames: reader.frameCount)
        loudness = LoudnessCurve(
            capacity: detail.loudnessPoints, interval: .seconds(Double(blockFrames) / sampleRate),
            expectedLength: .seconds(Double(reader.frameCount) / sampleRate))
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
