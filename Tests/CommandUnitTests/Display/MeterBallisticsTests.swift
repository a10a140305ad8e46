import ACCAudioRecorder
import Testing

@testable import AccrecCommands

@Suite struct MeterBallisticsTests {
    private func levels(peak: Float, clipped: Int = 0, at time: Double) -> RecordingLevels {
        RecordingLevels(
            channels: [ChannelLevel(peak: peak, rms: peak, clippedCount: clipped)],
            timestamp: time)
    }

    @Test("Silent is what has been zero for a second, until the next sample that is not")
    func isSilentWhileThatLasts() {
        var ballistics = MeterBallistics()
        #expect(!ballistics.isSilent)
        for tenth in 0..<10 {
            ballistics.update(levels(peak: 0, at: Double(tenth) / 10))
            #expect(!ballistics.isSilent, "after \(tenth) tenths")
        }
        ballistics.update(levels(peak: 0, at: 1))
        #expect(ballistics.isSilent)
        ballistics.update(levels(peak: 1e-7, at: 1.1))
        #expect(!ballistics.isSilent)
        ballistics.update(levels(peak: 0, at: 1.2))
        ballistics.update(levels(peak: 0, at: 2.3))
        #expect(ballistics.isSilent)
        #expect(ballistics.channels.map(\.isMeasured) == [true])
        ballistics.clear()
        #expect(!ballistics.isSilent && ballistics.channels.map(\.isMeasured) == [false])
    }

    @Test("The peak is the highest since the last time that it was drawn")
    func noPeakBetweenDrawsIsMissed() {
        var ballistics = MeterBallistics()
        ballistics.update(levels(peak: 0.5, at: 1))
        ballistics.update(levels(peak: 0.1, at: 1.1))
        #expect(abs(ballistics.channels[0].peak + 6) < 0.1)
        ballistics.didDraw()
        ballistics.update(levels(peak: 0.1, at: 1.2))
        #expect(abs(ballistics.channels[0].peak + 20) < 0.1)
    }

    @Test("A held peak falls to the lowest level that a bar shows, and then to the measured one", arguments: [0, 1e-4])
    func heldPeaksFallToWhatIsMeasured(peak: Float) {
        var ballistics = MeterBallistics()
        ballistics.update(levels(peak: 1, at: 0))
        var held: [Float] = []
        for tenth in 1...100 {
            ballistics.update(levels(peak: peak, at: Double(tenth) / 10))
            ballistics.didDraw()
            held.append(ballistics.channels[0].held)
        }
        let measured = ballistics.channels[0].peak
        #expect(held.allSatisfy { $0 >= LevelScale.floor || $0 == measured }, "\(held)")
        #expect(held.contains { $0 < -30 && $0 >= LevelScale.floor } && held.last == measured, "\(held)")
    }

    @Test("A peak is held for 1.5 seconds, then falls by 20 dB a second")
    func heldPeaksFallEvenly() {
        var ballistics = MeterBallistics()
        ballistics.update(levels(peak: 1, at: 0))
        for tenth in 1...35 {
            ballistics.update(levels(peak: 0.001, at: Double(tenth) / 10))
            let expected = -2 * Float(max(tenth - 15, 0))
            #expect(abs(ballistics.channels[0].held - expected) < 0.01, "after \(tenth) tenths")
        }
    }

    @Test func samplesThatAreNotRecordedDoNotCountAsClipped() {
        var ballistics = MeterBallistics()
        ballistics.update(levels(peak: 1, clipped: 3, at: 1))
        ballistics.update(levels(peak: 0.5, clipped: 5, at: 2), isRecorded: false)
        #expect(ballistics.channels[0].clippedCount == 3)
    }
}
