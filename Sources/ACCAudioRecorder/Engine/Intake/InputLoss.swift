/// What is missing of an input, as a number that a ring carries.
struct InputLoss: Equatable {
    let input: Int
    let cause: RecordingGap.Cause

    private static let causes: [RecordingGap.Cause] =
        [.streamMissing, .overrun, .dropped] + RecordingInterruption.allCases.map { .interruption($0) }

    init(input: Int, cause: RecordingGap.Cause) {
        self.input = input
        self.cause = Self.causes.contains(cause) ? cause : .streamMissing
    }

    init(tag: Int) {
        let (input, number) = tag.quotientAndRemainder(dividingBy: Self.causes.count)
        self.init(input: input, cause: Self.causes[number])
    }

    var tag: Int { input * Self.causes.count + (Self.causes.firstIndex(of: cause) ?? 0) }
}
