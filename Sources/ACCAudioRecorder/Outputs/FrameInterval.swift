/// Says when so many frames have passed, again and again.
struct FrameInterval {
    private let length: Int
    private var elapsed = 0

    /// - Parameter length: In frames.
    init(_ length: Int) {
        self.length = length
    }

    /// Whether the interval is over with these frames; it then begins anew.
    mutating func isOver(after frames: Int) -> Bool {
        elapsed += frames
        guard elapsed >= length else { return false }
        elapsed = 0
        return true
    }
}
