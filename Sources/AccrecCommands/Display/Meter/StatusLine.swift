import ACCAudioRecorder

/// The meter's first line: state, time, and details of the recording. If it is too long, the least important parts are left
/// out.
struct StatusLine {
    let status: RecordingStatus
    let style: TerminalStyle

    private struct Part {
        let ink: StyledLine.Ink
        /// Parts of the highest rank are left out first, those of rank 0 never.
        let rank: Int
        /// The texts to try, the longest first.
        private var texts: ArraySlice<String>
        /// Includes the space before it.
        private(set) var width: Int

        /// - Parameter shorter: Shorter forms for narrow windows.
        init(_ text: String, _ ink: StyledLine.Ink = .plain, rank: Int, shorter: [String] = []) {
            self.init([text] + shorter, ink, rank: rank)
        }

        private init(_ texts: ArraySlice<String>, _ ink: StyledLine.Ink, rank: Int) {
            self.texts = texts
            self.ink = ink
            self.rank = rank
            width = 2 + texts[texts.startIndex].displayWidth
        }

        var text: String { texts[texts.startIndex] }

        /// Takes the next shorter form; false if there are no more than these.
        mutating func shorten(keeping count: Int = 1) -> Bool {
            guard texts.count > count else { return false }
            self = Part(texts.dropFirst(), ink, rank: rank)
            return true
        }
    }

    /// The line, at most `columns` wide.
    func line(columns: Int) -> StyledLine {
        line(of: parts, columns: columns)
    }

    /// State, time and problems only, as short as possible.
    func shortLine(columns: Int) -> StyledLine {
        line(of: parts.filter { $0.rank <= 1 }, columns: columns)
    }

    /// The times of an interruption that the line has no room for; nil if there is nothing to add to it, or no room either.
    ///
    /// - Parameter line: The line as it is shown.
    func times(missingIn line: StyledLine, columns: Int) -> StyledLine? {
        guard let times = shownInterruption?.times, let least = times.last, !line.text.contains(least),
            let text = times.first(where: { $0.utf8.count <= columns })
        else { return nil }
        var line = StyledLine()
        line.append(text, .middle)
        return line
    }

    /// The interruption of the recording, or of its source while it is not recorded.
    private var shownInterruption: InterruptionText? {
        if case .waiting(let interruption) = status.phase { interruption } else { status.sourceInterruption }
    }

    private func line(of parts: [Part], columns: Int) -> StyledLine {
        var parts = parts
        func isTooWide() -> Bool { parts.reduce(-2) { $0 + $1.width } > columns }
        while isTooWide(), let rank = parts.lazy.map(\.rank).max(), rank > 1,
            let index = parts.lastIndex(where: { $0.rank == rank })
        {
            if !parts[index].shorten() { parts.remove(at: index) }
        }
        for index in parts.indices.dropFirst().reversed() {
            while isTooWide(), parts[index].shorten() {}
        }
        // What a recording waits for counts more than what has happened to it, but less than that it waits.
        while isTooWide(), parts[0].shorten(keeping: 2) {}
        while isTooWide(), let index = parts.lastIndex(where: { $0.rank == 1 }) { parts.remove(at: index) }
        while isTooWide(), parts[0].shorten() {}
        var line = StyledLine()
        for (index, part) in parts.enumerated() {
            if index > 0 { line.append("  ") }
            line.append(part.text, part.ink)
        }
        line.cut(to: columns)
        return line
    }

    private var parts: [Part] {
        var parts: [Part] = []
        parts.reserveCapacity(9)
        parts.append(state)
        if case .scheduled(_, let time) = status.phase {
            parts.append(Part("at \(time)", rank: 1))
            if let limit = status.limit { parts.append(Part("for \(TimeText.progress(limit))", rank: 2)) }
        } else if case .ready(let length, _) = status.phase {
            if let level = status.soundLevel {
                let number = level == level.rounded() ? "\(Int(level))" : "\(level)"
                parts.append(Part("for a sound of \(number) dBFS", rank: 1, shorter: ["for a sound"]))
            }
            // In a narrow window, what the recording waits for counts more.
            parts.append(Part("keeps \(TimeText.length(length))", rank: status.soundLevel == nil ? 1 : 2))
            if let limit = status.limit { parts.append(Part("for \(TimeText.progress(limit))", rank: 2)) }
            if let takes = status.takes, let length = takes.lastLength {
                let count = "\(takes.number) take\(takes.number == 1 ? "" : "s")"
                parts.append(Part("\(count), the last \(TimeText.progress(length))", rank: 1, shorter: [count]))
            }
        } else {
            if let takes = status.takes { parts.append(Part("take \(takes.number)", rank: 1)) }
            parts.append(Part(TimeText.progress(status.elapsed), .strong, rank: 0))
            if let limit = status.limit {
                let isLength = status.isPlayback
                let text = TimeText.progress(isLength ? limit : max(limit - status.elapsed, 0))
                parts.append(Part(isLength ? "of \(text)" : "\(text) left", rank: 2))
            }
        }
        if let forms = unavailableSource {
            parts.append(Part(forms[0], .alarm, rank: 1, shorter: Array(forms.dropFirst())))
        } else if status.isMuted {
            parts.append(Part("MUTED", .alarm, rank: 1))
        } else if status.isSilent {
            parts.append(Part("SILENT", .alarm, rank: 1))
        }
        if !status.awayInputs.isEmpty {
            let names = status.awayInputs.map { shortened(PrintableText.line($0, isUTF8: style.isUTF8), to: 20) }
                .joined(separator: ", ")
            parts.append(
                Part("\(names) AWAY", .alarm, rank: 1, shorter: ["\(status.awayInputs.count) AWAY"]))
        }
        if status.gapCount > 0 {
            let lost = "\(TimeText.length(status.secondsLost)) LOST"
            let text = status.gapCount == 1 ? lost : "\(lost) in \(status.gapCount) gaps"
            parts.append(Part(text, .alarm, rank: 1, shorter: [lost, "LOST"]))
        }
        if status.clippedCount > 0 {
            parts.append(Part("CLIP \(status.clippedCount)", .alarm, rank: 1, shorter: ["CLIP"]))
        }
        if let file = status.file {
            let length = status.fileStart.map { " \(TimeText.progress(max(status.elapsed - $0, 0)))" } ?? ""
            let names = [40, 20].map { shortened(file, to: $0) }
            parts.append(Part(names[0] + length, rank: 3, shorter: [names[1] + length, names[1]]))
        }
        if let byteCount = status.byteCount { parts.append(Part(ByteText.short(byteCount), rank: 4)) }
        if let room = status.room {
            // The name counts more while there is plenty of room.
            let rank = room < 3_600 ? 2 : 5
            parts.append(Part("room for \(TimeText.rough(room))", room < 600 ? .alarm : .plain, rank: rank))
        }
        if status.hasRecording, status.highestPeak > LevelScale.floor {
            parts.append(Part("highest \(DecibelText.short(status.highestPeak, style.glyphs)) dBFS", .faint, rank: 6))
        }
        if status.gapCount == 0, status.hasRecording { parts.append(Part("no gaps", .faint, rank: 6)) }
        if status.markCount > 0 {
            parts.append(Part("\(status.markCount) mark\(status.markCount == 1 ? "" : "s")", rank: 7))
        }
        return parts
    }

    /// Why there are no levels, the longest form first; nil if there are some, or if the state says why.
    private var unavailableSource: [String]? {
        if case .ready(_, hasSource: false) = status.phase { return nil }
        return status.sourceInterruption?.forms
    }

    private var state: Part {
        let glyphs = style.glyphs
        return switch status.phase {
        case .scheduled(let seconds, _):
            Part(glyphs.waiting + "BEGINS IN \(TimeText.countdown(seconds))", .strong, rank: 0)
        case .ready(_, hasSource: false): waiting(for: status.sourceInterruption?.forms ?? ["no source"])
        case .ready, .armed: Part(glyphs.armed + "ARMED", .strong, rank: 0)
        case .aligning: Part(glyphs.recording + "ALIGNING", .alarm, rank: 0)
        case .recording: Part(glyphs.recording + "REC", .alarm, rank: 0)
        case .silent: Part(glyphs.waiting + "LISTENING", .middle, rank: 0)
        case .paused: Part(glyphs.paused + "PAUSED", .middle, rank: 0)
        case .waiting(let interruption): waiting(for: interruption.forms)
        case .finishing: Part("FINISHING", .strong, rank: 0)
        case .metering: Part(glyphs.armed + "METER", .strong, rank: 0)
        case .playing: Part(glyphs.playing + "PLAY", .strong, rank: 0)
        case .playbackPaused: Part(glyphs.paused + "PAUSED", .middle, rank: 0)
        }
    }

    /// - Parameter reasons: What the recording waits for, the longest form first.
    private func waiting(for reasons: [String]) -> Part {
        let texts = reasons.map { "WAITING: \($0)" } + ["WAITING"]
        let glyph = style.glyphs.waiting
        return Part(glyph + texts[0], .middle, rank: 0, shorter: texts.dropFirst().map { glyph + $0 })
    }

    /// Shortens a long name at its beginning, since the end says more.
    private func shortened(_ name: String, to length: Int) -> String {
        let scalars = name.unicodeScalars
        guard scalars.count > length else { return name }
        return style.glyphs.ellipsis + String(String.UnicodeScalarView(scalars.suffix(length - 2)))
    }
}
