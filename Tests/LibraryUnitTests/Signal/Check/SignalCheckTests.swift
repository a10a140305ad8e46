import Glibc
import TestSupport
import Testing

@testable import ACCAudioRecorder

@Suite(.tags(.skipsThreadSanitizer, .skipsAddressSanitizer)) struct SignalCheckTests {
    private typealias Kind = SignalFinding.Kind

    /// A fault, and what is found of it: its kind, channels and first frame, unless it has no place.
    private struct Fault: Sendable {
        let description: String
        let kind: Kind
        let channels: [Int]
        var place: Int?
        let make: @Sendable (inout MadeSound) -> Void
    }

    @Test("Finds nothing in sound without faults", arguments: [1, 2, 6])
    func findsNothing(channels: Int) {
        #expect(MadeSound(channelCount: channels).findings().map(\.description) == [])
    }

    @Test("Finds each kind of fault where it is", arguments: Array(Self.faults.indices))
    func findsFault(_ index: Int) {
        let fault = Self.faults[index]
        var sound = MadeSound(channelCount: 2)
        fault.make(&sound)
        let findings = sound.findings()
        #expect(findings.map(\.kind) == [fault.kind], "\(fault.description): \(findings)")
        guard let finding = findings.first else { return }
        #expect(finding.channels == fault.channels, "\(fault.description)")
        guard let place = fault.place else { return }
        #expect(abs(finding.frames.lowerBound - place) <= 1, "\(fault.description)")
    }

    private static let second = MadeSound.sampleRate
    private static let faults = [
        Fault(description: "zeros of 5 ms", kind: .dropout, channels: [1, 2], place: 5 * second) { sound in
            for channel in 0...1 { sound.set(5 * second..<5 * second + second / 200, of: channel) { _ in 0 } }
        },
        Fault(description: "zeros of 1 ms on one channel", kind: .dropout, channels: [2], place: 7 * second) { sound in
            sound.set(7 * second..<7 * second + second / 1_000, of: 1) { _ in 0 }
        },
        Fault(description: "10 ms twice", kind: .repetition, channels: [1, 2], place: 3 * second) { sound in
            for channel in 0...1 {
                sound.set(3 * second..<3 * second + 480, of: channel) { $0[-480] }
            }
        },
        Fault(description: "3 ms twice on one channel", kind: .repetition, channels: [1], place: 3 * second) { sound in
            sound.set(3 * second..<3 * second + 144, of: 0) { $0[-144] }
        },
        Fault(description: "a jump", kind: .jump, channels: [1], place: 4 * second) { sound in
            // Back to nothing within a second, so that no offset remains.
            var height: Float = 0.06
            sound.set(4 * second..<5 * second, of: 0) { samples in
                height -= 0.06 / Float(second)
                return samples[0] + height
            }
        },
        Fault(description: "clipped by 6 dB", kind: .clipped, channels: [1, 2]) { sound in
            for channel in 0...1 {
                sound.set(0..<12 * second, of: channel) { max(min($0[0] * 8, 32_767 / 32_768), -1) }
            }
        },
        Fault(description: "clipped, then lower", kind: .flattened, channels: [2]) { sound in
            sound.set(0..<12 * second, of: 1) { max(min($0[0], 0.2), -0.2) }
        },
        Fault(description: "silence to the end", kind: .silence, channels: [2], place: 8 * second) { sound in
            sound.set(8 * second..<12 * second, of: 1) { _ in 0 }
        },
        Fault(description: "silence for a while", kind: .silence, channels: [1], place: 4 * second) { sound in
            sound.set(4 * second..<8 * second, of: 0) { _ in 0 }
        },
        Fault(description: "no sound", kind: .dead, channels: [2], place: 0) { sound in
            sound.set(0..<12 * second, of: 1) { _ in 0 }
        },
        Fault(description: "too quiet", kind: .quiet, channels: [1, 2]) { sound in
            for channel in 0...1 { sound.set(0..<12 * second, of: channel) { $0[0] / 64 } }
        },
        Fault(description: "one side", kind: .oneSided, channels: [1]) { sound in
            sound.set(0..<12 * second, of: 0) { $0[0] / 100 }
        },
        Fault(description: "the same", kind: .identical, channels: [1, 2]) { sound in
            sound.copy(0, to: 1) { $0 / 2 }
        },
        Fault(description: "opposite polarity", kind: .inverted, channels: [1, 2]) { sound in
            sound.copy(0, to: 1) { -$0 }
        },
        Fault(description: "a constant", kind: .offset, channels: [2]) { sound in
            sound.set(0..<12 * second, of: 1) { $0[0] + 0.005 }
        },
        Fault(description: "hum of 50 Hz", kind: .hum, channels: [1]) { sound in
            sound.add(0.01, frequency: 50, to: 0)
        },
        Fault(description: "hum of 60 Hz", kind: .hum, channels: [2]) { sound in
            sound.add(0.02, frequency: 120.1, to: 1)
        },
        Fault(description: "samples that are no numbers", kind: .invalid, channels: [1]) { sound in
            sound.set(5 * second..<5 * second + 1, of: 0) { _ in .nan }
        },
    ]

    @Test("Copies are found wherever they are, and told once; what only begins alike is none")
    func copies() {
        var sound = MadeSound(channelCount: 6)
        for (channel, other) in [(0, 1), (0, 4), (3, 5)] { sound.copy(channel, to: other) { $0 } }
        sound.set(6 * Self.second..<6 * Self.second + 1, of: 5) { $0[0] + 0.01 }
        let found = sound.findings(blockFrames: 1_000).filter { $0.kind == .identical }
        #expect(found.map(\.channels) == [[1, 2, 5]])
        #expect(found.map(\.description) == ["channels 1, 2 and 5 are the same"])
    }

    @Test("What is found does not depend on how frames are divided into blocks", arguments: [1, 479, 48_000])
    func doesNotDependOnBlocks(length: Int) {
        var sound = MadeSound(channelCount: 2)
        for fault in Self.faults.prefix(5) { fault.make(&sound) }
        #expect(sound.findings(blockFrames: length) == sound.findings(blockFrames: 1_000))
    }

    @Test("Silence is reported once when it has lasted three seconds, and once when it ends")
    func reportsSilenceWhileItLasts() {
        var sound = MadeSound(channelCount: 2)
        sound.set(2 * Self.second..<7 * Self.second, of: 1) { _ in 0 }
        var check = sound.check
        var seen: [(frame: Int, finding: SignalFinding)] = []
        sound.feed(&check, blockFrames: 480) { frame, findings in seen += findings.map { (frame, $0) } }
        #expect(seen.map(\.finding.kind) == [.silence, .silence])
        #expect(seen.map(\.finding.isOngoing) == [true, false])
        #expect(zip(seen, [5, 7]).allSatisfy { abs($0.frame - $1 * Self.second) <= 960 })
    }

    @Test("Pauses of zeros, before most of which sound fades as that of a synthesiser, are no dropouts")
    func leavesPausesAlone() {
        var sound = MadeSound(channelCount: 1)
        for pause in 1...20 {
            let start = pause * Self.second / 2
            // One of five is abrupt.
            if pause % 5 != 0 {
                var gain: Float = 1
                sound.set(start - 480..<start, of: 0) { samples in
                    gain -= 1 / 480
                    return samples[0] * gain
                }
            }
            sound.set(start..<start + 960, of: 0) { _ in 0 }
        }
        #expect(sound.findings().map(\.description) == [])
    }

    @Test("A tone alone is good, as one that somebody tests with", arguments: [440, 997, 1_000, 6_000])
    func tone(frequency: Double) {
        var sound = MadeSound(channelCount: 1)
        sound.set(0..<MadeSound.frameCount, of: 0) { _ in 0 }
        sound.add(0.3, frequency: frequency, to: 0)
        #expect(sound.findings().map(\.description) == [])
    }

    @Test("Nothing is compared across a gap")
    func passesOverGaps() {
        let sound = MadeSound(channelCount: 2)
        var check = sound.check
        sound.feed(&check, blockFrames: 4_800, from: 0..<5 * Self.second)
        // Half of a wave is missing, and what follows has the same frames once more.
        sound.feed(&check, blockFrames: 4_800, from: 5 * Self.second - 4_800..<10 * Self.second, shiftedBy: 9_631)
        _ = check.finish()
        #expect(check.takeFindings().map(\.description) == [])
    }
}
