import TestSupport
import Testing

@testable import ACCAudioRecorder

/// What is found of a recording while it goes on, and when.
@Suite(.tags(.skipsThreadSanitizer, .skipsAddressSanitizer)) struct SignalWatchTests {
    private static let form = StreamFormat(sampleRate: MadeSound.sampleRate, channelMap: .standard(channelCount: 2))
    private static let source = AudioSource.made("microphone", rate: UInt32(MadeSound.sampleRate))
    /// Zeros of 5 ms, twice.
    private static let zeros = [5, 8].map { $0 * MadeSound.sampleRate..<$0 * MadeSound.sampleRate + 240 }
    private static let sound: [Float] = {
        var sound = MadeSound(channelCount: 2)
        for frames in zeros {
            for channel in 0...1 { sound.set(frames, of: channel) { _ in 0 } }
        }
        return sound.samples
    }()

    /// Examines frames of the sound in blocks; returns after which frame each finding was told.
    private static func examine(
        _ frames: Range<Int>, by watch: inout SignalWatch, blockFrames: Int
    ) -> [(finding: SignalFinding, end: Int)] {
        var found: [(SignalFinding, Int)] = []
        for first in stride(from: frames.lowerBound, to: frames.upperBound, by: blockFrames) {
            let end = min(first + blockFrames, frames.upperBound)
            withBlock(Array(sound[2 * first..<2 * end]), channels: 2) { watch.examine($0, at: first) }
            if watch.hasNews { found += watch.takeNews(absent: []).map { ($0, end) } }
        }
        return found
    }

    @Test(
        "Finds the same whatever the length of a fragment, and tells it within 0.2 s", arguments: [240, 1_920, 20_000])
    func fragments(blockFrames: Int) throws {
        var check = SignalCheck(
            sampleRate: Double(Self.form.sampleRate), channelMap: Self.form.channelMap, integerBits: 16)
        var direct: [Int] = []
        for first in stride(from: 0, to: Self.sound.count / 2, by: 480) {
            Self.sound[2 * first..<2 * first + 960].withUnsafeBufferPointer { check.add($0, at: first) }
            if check.hasFindings { direct += check.takeFindings().map { _ in first + 480 } }
        }
        var watch = SignalWatch(Self.form, of: Self.source)
        let found = Self.examine(0..<Self.sound.count / 2, by: &watch, blockFrames: blockFrames)
        let figures = watch.finish()
        let expected = check.finish()
        #expect(figures == expected)
        #expect(watch.findings.map(\.kind) == [.dropout, .dropout])
        #expect(watch.findings.map(\.frames) == Self.zeros)
        #expect(found.count == direct.count)
        for (told, earliest) in zip(found.map(\.end), direct) {
            #expect(told >= earliest && told <= earliest + Self.form.sampleRate / 5 + blockFrames)
        }
    }

    @Test("The loudness is that of all frames, also of those that are only collected")
    func loudness() {
        var watch = SignalWatch(Self.form, of: Self.source)
        var whole = SignalWatch(Self.form, of: Self.source)
        for end in stride(from: 0, to: 96_000, by: 960) {
            _ = Self.examine(end..<end + 960, by: &watch, blockFrames: 960)
        }
        _ = Self.examine(0..<96_000, by: &whole, blockFrames: 96_000)
        let loudness = watch.takeLoudness()
        #expect(loudness == whole.takeLoudness() && loudness.momentary != nil)
    }

    @Test("Frames that were collected before a gap, and those after it, keep their places")
    func gap() {
        var watch = SignalWatch(Self.form, of: Self.source)
        _ = Self.examine(0..<Self.zeros[0].upperBound + 3_000, by: &watch, blockFrames: 1_000)
        // Numbers that do not follow.
        let rest = Self.zeros[1].lowerBound - 1_500..<Self.zeros[1].upperBound + 3_000
        _ = Self.examine(rest, by: &watch, blockFrames: 1_000)
        watch.breakOff()
        _ = watch.finish()
        #expect(watch.findings.map(\.frames) == Self.zeros)
    }
}
