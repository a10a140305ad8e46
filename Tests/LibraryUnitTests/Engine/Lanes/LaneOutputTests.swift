import Testing

@testable import ACCAudioRecorder

// They have one thread.
@Suite(.tags(.skipsThreadSanitizer)) struct LaneOutputTests {
    private static let form = StreamFormat(sampleRate: 48_000, channelMap: .standard(channelCount: 1))
    private static let blockFrames = 480

    // It was measured by the place that the frames before had, so that a lane that was found to lie elsewhere stayed there.
    @Test(
        "A resampled lane knows how far it is from its place as soon as that is another one", arguments: [-512, 0, 256])
    func movedPlace(by frames: Int) throws {
        var output = LaneOutput(number: 0, form: Self.form, quality: .fastest)
        output.open(sampleRate: 48_000, blockFrames: Self.blockFrames)
        let drift = 100e-6
        var place = 4_800.0
        for _ in 0..<20 {
            let end = place + Double(Self.blockFrames) * (1 + drift)
            try withBlock([Float](repeating: 0.25, count: Self.blockFrames)) { block in
                try output.convert(block, from: place, to: end, drift: drift)
                while try output.next() != nil {}
            }
            place = end
        }
        #expect(abs(output.misplacement(of: place + Double(frames), drift: drift) - Double(frames)) < 1)
    }

    // Both lie before the same frame, and would be told twice.
    @Test("An absence ends where the part begins that one of the streams lacks")
    func lackingAfterAbsence() throws {
        var output = LaneOutput(number: 0, form: Self.form, quality: .fastest)
        output.open(sampleRate: 48_000, blockFrames: Self.blockFrames)
        try withBlock([Float](repeating: 0.25, count: Self.blockFrames)) { block in
            output.pass(block, at: 0)
            _ = try output.next()
            output.breakOff(.interruption(.applicationAbsent))
            output.lack(2_000, before: nil)
            output.pass(block, at: 10_480)
            _ = try output.next()
        }
        let missing = output.takeMissing()
        #expect(missing.map(\.frames) == [8_000, 2_000] && missing.map(\.end) == [8_480, 10_480])
        #expect(missing.map(\.cause) == [.interruption(.applicationAbsent), .streamMissing])
    }
}
