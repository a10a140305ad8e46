/// Which keys do what, or the question that a key has raised.
struct KeyLines {
    let status: TakeStatus

    /// As few lines as it takes, none wider than `columns`.
    func lines(columns: Int) -> [StyledLine] {
        if status.prompt == .discardQuestion {
            return wrapped([("", "Discard this take?"), ("y", "discard"), ("any other key", "keep")], columns: columns)
        }
        guard status.phase != .metering else {
            return wrapped([("q", "quit"), ("?", "close")], columns: columns)
        }
        let pause = status.phase == .paused ? "resume" : "pause"
        let keys = [("space", pause), ("m", "mark"), ("s", "split"), ("d", "discard"), ("q", "finish"), ("?", "close")]
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
