/// Lines that are laid out anew only when what they show has changed.
struct KeptLines<Content: Equatable> {
    private var content: Content?
    private var lines: [StyledLine] = []

    mutating func lines(of content: Content, layOut: () -> [StyledLine]) -> [StyledLine] {
        if self.content != content {
            lines = layOut()
            self.content = content
        }
        return lines
    }
}
