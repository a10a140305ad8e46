/// What is missing of an input, as a number that a ring carries.
struct InputLoss: Equatable {
    let input: Int
    let cause: RecordingGap.Cause
    /// Whether it is missing from a frame on, until another loss of the input tells how much was.
    let isOpen: Bool

    private static let causes: [RecordingGap.Cause] =
        [.streamMissing, .overrun, .dropped] + RecordingInterruption.allCases.map { .interruption($0) }

    init(input: Int, cause: RecordingGap.Cause, isOpen: Bool = false) {
        self.input = input
        self.cause = Self.causes.contains(cause) ? cause : .streamMissing
        self.isOpen = isOpen
    }

    init(tag: Int) {
        let (input, number) = (tag / 2).quotientAndRemainder(dividingBy: Self.causes.count)
        self.init(input: input, cause: Self.causes[number], isOpen: tag % 2 == 1)
    }

    var tag: Int { 2 * (input * Self.causes.count + (Self.causes.firstIndex(of: cause) ?? 0)) + (isOpen ? 1 : 0) }
}
