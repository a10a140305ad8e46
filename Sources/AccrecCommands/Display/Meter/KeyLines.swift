/// The list of keys, or the question that a key has raised.
struct KeyLines: Equatable {
    private let prompt: TakeStatus.Prompt
    private let isScheduled: Bool
    private let isReady: Bool
    /// Whether a take that waits can be started.
    private let hasSource: Bool
    private let isMetering: Bool
    private let isPlayback: Bool
    private let isPaused: Bool
    private let discarding: DiscardText
    private let elapsed: Double

    init(_ status: TakeStatus) {
        prompt = status.prompt
        discarding = status.discarding
        // The question counts whole seconds.
        elapsed = prompt == .discardQuestion ? status.elapsed.rounded(.down) : 0
        isScheduled = if case .scheduled = status.phase { true } else { false }
        isReady = status.isReady
        hasSource = if case .ready(_, hasSource: false) = status.phase { false } else { true }
        isMetering = status.phase == .metering
        isPlayback = status.phase.isPlayback
        isPaused = status.phase == .paused || status.phase == .playbackPaused
    }

    /// As few lines as possible, none wider than `columns`.
    func lines(columns: Int) -> [StyledLine] {
        if prompt == .discardQuestion {
            let question = [(key: "", meaning: discarding.question(after: elapsed))]
            return wrapped(question + discarding.answers(after: elapsed), columns: columns)
        }
        if isScheduled { return wrapped([("q", "cancel"), ("?", "close")], columns: columns) }
        if isReady {
            let start = hasSource ? [("space", "record")] : []
            return wrapped(start + [("q", "cancel"), ("?", "close")], columns: columns)
        }
        guard !isMetering else {
            return wrapped([("r", "reset"), ("q", "quit"), ("?", "close")], columns: columns)
        }
        let pause = isPaused ? "resume" : "pause"
        if isPlayback {
            return wrapped(
                [
                    ("space", pause), ("left/right", "5 s"), ("up/down", "1 min"), ("home/end", "start, last 5 s"),
                    ("r", "reset"), ("q", "stop"), ("?", "close"),
                ], columns: columns)
        }
        let keys = [
            ("space", pause), ("m", "mark"), ("s", "split"), ("d", "discard"), ("r", "reset"), ("q", "finish"),
            ("?", "close"),
        ]
        return wrapped(keys, columns: columns)
    }

    private func wrapped(_ keys: [(key: String, meaning: String)], columns: Int) -> [StyledLine] {
        var lines = [StyledLine()]
        for (key, meaning) in keys {
            let text = key.isEmpty ? meaning : "\(key) \(meaning)"
            var line = lines.removeLast()
            if line.width > 0, line.width + 2 + text.utf8.count > columns {
                lines.append(line)
                line = StyledLine()
            }
            if line.width > 0 { line.append("  ") }
            if !key.isEmpty { line.append("\(key) ", .strong) }
            line.append(meaning)
            line.cut(to: columns)
            lines.append(line)
        }
        return lines
    }
}

/// The meter's last line: the source, its format and the output format.
struct DetailsLine: Equatable {
    private let source: String
    private let sourceFormat: String
    private let outputFormat: String?
    private let hasKeys: Bool
    private let hintText: String
    private let style: TerminalStyle

    /// The minimum number of characters of the source's name to show beside formats.
    private static let shortestName = 10

    init(_ status: TakeStatus, style: TerminalStyle) {
        source = status.source
        sourceFormat = status.sourceFormat
        outputFormat = status.outputFormat
        hasKeys = status.hasKeys
        hintText =
            switch status.phase {
            // A recording cannot be resumed without its source.
            case .paused where status.sourceInterruption == nil, .playbackPaused: "space resumes"
            case .ready(_, hasSource: true): "space records"
            default: "? keys"
            }
        self.style = style
    }

    /// The line, at most `columns` wide. A long source name is shortened in favour of the formats; a format that does
    /// not fit as a whole is left out.
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

    /// The formats to try, longest first: source and output, then the source's alone.
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
        line.append(hintText, .faint)
        return line
    }
}
