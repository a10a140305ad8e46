import Testing

@testable import ACCAudioRecorder

@Suite struct PulseTimingAnswersTests {
    /// The start by the latest answer that counts, after each of some answers.
    private func starts(_ answers: [(bytes: Int64, start: Double)]) -> [Double] {
        var first = PulseTimingQuery.Answers(bytes: answers[0].bytes, start: answers[0].start)
        return [first.start]
            + answers.dropFirst().map {
                first.add(bytes: $0.bytes, start: $0.start)
                return first.start
            }
    }

    @Test("The first answer counts as long as it is the only one")
    func first() {
        #expect(starts([(0, 5)]) == [5])
        #expect(starts([(0, 5), (1_200, 7)]) == [5, 5])
    }

    // As PulseAudio answered while a block reached the stream in two parts.
    @Test("Of the answers about as many bytes the last one counts, once there is one about others")
    func parts() {
        #expect(starts([(0, 9), (1_200, -1), (1_200, 9), (2_400, -1), (2_400, 9), (3_600, 9)]) == [9, 9, 9, 9, 9, 9])
        #expect(starts([(0, 9), (1_200, 10), (2_400, -1), (2_400, 11), (3_600, 12)]) == [9, 9, 10, 10, 11])
    }

    @Test("The stream may be stated to have become shorter")
    func rewound() {
        #expect(starts([(1_200, 9), (0, 8), (1_200, 7)]) == [9, 9, 8])
    }
}
