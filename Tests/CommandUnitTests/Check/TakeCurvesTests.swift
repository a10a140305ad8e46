import Foundation
import Testing

@testable import ACCAudioRecorder
@testable import AccrecCommands

@Suite struct TakeCurvesTests {
    @Test("A sample's byte keeps full scale, silence and the sign, and quiet sound to a few per cent")
    func samples() {
        #expect([-1, 0, 1].map { TakeCurves.sample(ofByte: TakeCurves.byte(ofSample: $0)) } == [-1, 0, 1])
        #expect(TakeCurves.sample(ofByte: TakeCurves.byte(ofSample: 7)) == 1)
        for sample in stride(from: Float(-1), through: 1, by: 0.001) {
            let shown = TakeCurves.sample(ofByte: TakeCurves.byte(ofSample: sample))
            #expect(abs(shown - Double(sample)) <= max(0.009 * Double(abs(sample)).squareRoot(), 0.0001))
        }
    }

    @Test("Loudness is kept to 0.15 LU, and silence is nothing")
    func loudness() {
        for loudness in stride(from: -70.0, through: 5, by: 0.1) {
            let shown = TakeCurves.loudness(ofByte: TakeCurves.byte(ofLoudness: loudness))
            #expect(abs((shown ?? 0) - loudness) <= 0.1501)
        }
        #expect(TakeCurves.byte(ofLoudness: 99) == 255)
        #expect([-.infinity, -70.1, .nan].allSatisfy { TakeCurves.byte(ofLoudness: $0) == 0 })
    }

    @Test("A level is kept to a quarter of a decibel")
    func levels() {
        #expect([-.infinity, .nan, -200].allSatisfy { TakeCurves.byte(ofLevel: $0) == 0 })
        #expect(TakeCurves.byte(ofLevel: 0) == 255 && TakeCurves.byte(ofLevel: .infinity) == 255)
        for level in stride(from: Float(-127), through: 0, by: 0.1) {
            #expect(abs(Float(TakeCurves.byte(ofLevel: level)) / 2 - 127.5 - level) <= 0.2501)
        }
    }

    @Test("More channels than there are lanes for share one, with the lowest and highest sample of all")
    func sharedLane() {
        let waveform = Waveform(framesPerColumn: 1, channels: [[-1...0], [0...0.25], [0...1]])
        let shared = TakeCurves(waveform, nil, nil, sampleRate: 1, names: ["a", "b", "c"], target: nil, mostLanes: 2)
        #expect(shared.waveform.lanes == [TakeCurves.Lane(name: "all", peaks: Data([129, 127]))])
        let own = TakeCurves(waveform, nil, nil, sampleRate: 1, names: ["a"], target: nil, mostLanes: 3)
        #expect(own.waveform.lanes.map(\.name) == ["a", "2", "3"])
        #expect(own.waveform.lanes[1].peaks == Data([0, 64]))
    }

    @Test("Brighter colours are louder")
    func palette() {
        let lightness = (0...255).map { byte in
            let color = SpectrogramColors.palette[3 * byte..<3 * byte + 3].map { Double($0) }
            return 0.2126 * color[color.startIndex] + 0.7152 * color[color.startIndex + 1]
                + 0.0722 * color[color.startIndex + 2]
        }
        #expect(zip(lightness, lightness.dropFirst()).allSatisfy { $0 <= $1 })
        #expect(lightness[255] > lightness[0] + 200)
    }
}
