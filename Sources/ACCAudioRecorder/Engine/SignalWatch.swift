/// Watches what is recorded for what is probably not meant, so that it is told while it can still be helped, and measures its
/// loudness.
///
/// Only microphones are watched: the desktop or an application is silent, faint or mono because it plays that.
///
/// Frames are collected before they are examined: where the engine wakes for each fragment, the caches have lost what the check
/// needs, and it takes twice as long.
struct SignalWatch: ~Copyable {
    /// The longest that frames are collected, in seconds, and the most samples, which fit into the cache.
    private static let collectedSeconds = 0.16
    private static let mostCollected = 1 << 14

    private var check: SignalCheck
    /// Frames that were not examined yet, and the number of the first one.
    private var collected: [Float] = []
    private var collectedFrame = 0
    private let collectedCount: Int
    /// The channels of each microphone, counted from 1.
    private let microphones: [[Int]]
    /// The channels that are silent because their inputs are away, which is told as such.
    private var away: Set<Int> = []
    /// What was found so far, but for what goes on.
    private(set) var findings: [SignalFinding] = []
    /// After how many seconds no channel of any source had sounded; nil if one had, or it is too early to tell.
    private(set) var silentSeconds: Int?
    private let channelCount: Int

    /// - Parameters:
    ///   - form: The recording's.
    ///   - source: What is recorded.
    init(_ form: StreamFormat, of source: AudioSource) {
        microphones = source.microphones(in: form)
        channelCount = form.channelCount
        check = SignalCheck(
            sampleRate: Double(form.sampleRate), channelMap: form.channelMap,
            integerBits: source.sampleSpec.format.integerBits)
        collectedCount = min(form.frames(in: Self.collectedSeconds) * form.channelCount, Self.mostCollected)
        collected.reserveCapacity(collectedCount)
    }

    /// Examines the next frames of the recording, as soon as there are enough of them.
    ///
    /// - Parameter frame: The number of the first one.
    mutating func examine(_ block: AudioBlock, at frame: Int) {
        let end = collectedFrame + collected.count / channelCount
        if frame != end || collected.count + block.samples.count > collectedCount { examineCollected() }
        guard block.samples.count < collectedCount else { return check.add(block.samples, at: frame) }
        if collected.isEmpty { collectedFrame = frame }
        collected.append(contentsOf: block.samples)
    }

    /// Examines what was collected, because its findings or its loudness are wanted.
    mutating func examineCollected() {
        guard !collected.isEmpty else { return }
        collected.withUnsafeBufferPointer { check.add($0, at: collectedFrame) }
        collected.removeAll(keepingCapacity: true)
    }

    /// Says that the next frames do not continue the last ones.
    mutating func breakOff() {
        examineCollected()
        check.breakOff()
    }

    /// Whether `takeNews` may return anything.
    var hasNews: Bool { check.hasFindings }

    /// Removes and returns what is to be told: what begins, and the same again when it has ended.
    ///
    /// - Parameter absent: The channels of inputs that are away, counted from 1.
    mutating func takeNews(absent: [Int]) -> [SignalFinding] {
        var news: [SignalFinding] = []
        for found in check.takeFindings() {
            // The same number throughout is no sound, either, but no silence.
            if found.kind == .dead, found.isOngoing, found.channels.count == channelCount, check.isSilent {
                silentSeconds = Int(found.value)
                continue
            }
            guard let present = withoutAway(found, absent), let finding = ofMicrophones(present) else { continue }
            if !finding.isOngoing { findings.append(finding) }
            news.append(finding)
        }
        return news
    }

    /// The loudness so far.
    mutating func takeLoudness() -> RecordingLoudness {
        examineCollected()
        let finite = { (value: Double?) in value.flatMap { $0.isFinite ? $0 : nil } }
        return RecordingLoudness(
            momentary: finite(check.momentaryLoudness), shortTerm: finite(check.shortTermLoudness),
            integrated: check.integratedLoudness, truePeak: check.truePeak)
    }

    /// Ends the recording. What was not told until now is among `findings`.
    mutating func finish() -> SignalFigures {
        examineCollected()
        let figures = check.finish()
        _ = takeNews(absent: [])
        return figures
    }

    private mutating func withoutAway(_ finding: SignalFinding, _ absent: [Int]) -> SignalFinding? {
        guard [.silence, .dead].contains(finding.kind) else { return finding }
        if finding.isOngoing { away.formUnion(finding.channels.filter(absent.contains)) }
        var rest = finding
        rest.channels.removeAll { away.contains($0) }
        if !finding.isOngoing { away.subtract(finding.channels) }
        return rest.channels.isEmpty ? nil : rest
    }

    /// A finding with its channels of microphones alone; nil if it has none, or compares one with another.
    private func ofMicrophones(_ finding: SignalFinding) -> SignalFinding? {
        var rest = finding
        switch finding.kind {
        case .oneSided, .identical, .inverted:
            let isOfOne = microphones.contains { $0.count > 1 && finding.channels.allSatisfy($0.contains) }
            return isOfOne ? finding : nil
        default:
            rest.channels.removeAll { channel in !microphones.contains { $0.contains(channel) } }
            return rest.channels.isEmpty ? nil : rest
        }
    }
}

extension AudioSource {
    /// The channels that each microphone has in a recording of this source, counted from 1. What is added to what is played is
    /// none of a microphone.
    fileprivate func microphones(in form: StreamFormat) -> [[Int]] {
        let all = Array(1...max(form.channelCount, 1))
        let parts = parts ?? [Part(channels: all, isPlayed: isPlayed)]
        let played = Set(parts.filter(\.isPlayed).flatMap(\.channels))
        return parts.map { part in part.channels.filter { all.contains($0) && !played.contains($0) } }
    }
}
