/// The meter's last line: from where, in which form, to which.
struct DetailsLine: Equatable {
    private let source: String
    private let sourceFormat: String
    private let outputFormat: String?
    private let hasKeys: Bool
    private let isPaused: Bool
    private let style: TerminalStyle

    /// How much of a source's name stays, at least, beside formats.
    private static let shortestName = 10

    init(_ status: TakeStatus, style: TerminalStyle) {
        source = status.source
        sourceFormat = status.sourceFormat
        outputFormat = status.outputFormat
        hasKeys = status.hasKeys
        isPaused = status.phase == .paused
        self.style = style
    }

    /// No wider than `columns`. A source's name that is too long gives way to the formats; those that do not fit whole
    /// are left out.
    func line(columns: Int) -> StyledLine {
        let wantsHint = hasKeys && columns >= Self.shortestName + 1 + hint.width
        let room = columns - (wantsHint ? hint.width + 2 : 0)
        let formats = formats.first { Self.shortestName + $0.width <= room } ?? StyledLine()

        var line = StyledLine()
        line.append(source)
        line.shorten(to: room - formats.width, style.glyphs.ellipsis)
        line.append(formats)
        if wantsHint {
            line.pad(to: columns - hint.width)
            line.append(hint)
        }
        return line
    }

    /// The source's and the output's, or the source's alone, behind a name.
    private var formats: [StyledLine] {
        let texts = outputFormat.map { ["\(sourceFormat) \(style.glyphs.arrow) \($0)"] } ?? []
        return (texts + [sourceFormat]).map { text in
            var line = StyledLine()
            line.append("  " + text, .faint)
            return line
        }
    }

    private var hint: StyledLine {
        var line = StyledLine()
        line.append(isPaused ? "space resumes" : "? keys", .faint)
        return line
    }
}
