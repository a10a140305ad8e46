import ACCAudioRecorder

extension MeterFrame {
    /// The list of keys, or the question that a key has raised.
    struct KeyLines: Equatable {
        private let question: String?
        private let keys: KeyTable<KeyAction>

        init(_ status: RecordingStatus) {
            question = status.prompt == .discardQuestion ? status.discarding.question(after: status.elapsed) : nil
            keys = status.keys
        }

        /// As few lines as possible, none wider than `columns`.
        func lines(columns: Int) -> [StyledLine] {
            var lines = [StyledLine()]
            for (key, meaning) in (question.map { [("", $0)] } ?? []) + keys.help {
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
}

extension RecordingStatus {
    /// What the keys do now.
    var keys: KeyTable<KeyAction> {
        prompt == .discardQuestion ? recording.discarding.answers(after: elapsed) : recording.keys
    }
}

extension MeterFrame {
    /// The meter's last line: the source, its format and the output format, or the loudness.
    struct DetailsLine: Equatable {
        private let source: String
        private let sourceFormat: String
        private let outputFormat: String?
        /// The loudness, in forms of decreasing length; empty if it is not shown.
        private let loudness: [String]
        private let hasKeys: Bool
        private let hintText: String
        private let style: TerminalStyle

        /// The minimum number of characters of the source's name to show beside formats.
        private static let shortestName = 10

        init(_ status: RecordingStatus, style: TerminalStyle) {
            source = status.source
            sourceFormat = status.sourceFormat
            outputFormat = status.outputFormat
            loudness = status.showsLoudness ? Self.texts(of: status.loudness, style.glyphs) : []
            hasKeys = status.hasKeys
            hintText =
                switch status.phase {
                // A recording cannot be resumed without its source.
                case .paused where status.sourceInterruption == nil, .playbackPaused: "space resumes"
                case .ready(_, hasSource: true): "space records"
                case .recording where status.takes != nil: "space ends the take"
                default: "? keys"
                }
            self.style = style
        }

        /// The line, at most `columns` wide. A long source name is shortened in favour of the formats; a format that
        /// does not fit as a whole is left out.
        func line(columns: Int) -> StyledLine {
            let wantsHint = hasKeys && columns >= Self.shortestName + 1 + hint.width
            let room = columns - (wantsHint ? hint.width + 2 : 0)
            if let text = loudness.first(where: { $0.displayWidth <= room }) ?? loudness.last {
                return lineOfLoudness(text, columns: columns, wantsHint: wantsHint)
            }
            let formats = formats.first { Self.shortestName + $0.width <= room } ?? StyledLine()

            var line = StyledLine()
            line.append(source)
            line.shorten(to: room - formats.width, style.glyphs.ellipsis)
            line.append(formats)
            if wantsHint { append(hint, to: &line, columns: columns) }
            return line
        }

        private func lineOfLoudness(_ text: String, columns: Int, wantsHint: Bool) -> StyledLine {
            var line = StyledLine()
            line.append(text)
            line.cut(to: columns - (wantsHint ? hint.width + 2 : 0))
            if wantsHint { append(hint, to: &line, columns: columns) }
            return line
        }

        private func append(_ hint: StyledLine, to line: inout StyledLine, columns: Int) {
            line.pad(to: columns - hint.width)
            line.append(hint)
        }

        private static func texts(of loudness: RecordingLoudness?, _ glyphs: TerminalStyle.Glyphs) -> [String] {
            // Nothing is known before the first block, of the short-term loudness for three seconds.
            let text = { (value: Double?) in value.map { DecibelText.short(Float($0), glyphs) } ?? "-" }
            let (whole, shortTerm) = (text(loudness?.integrated), text(loudness?.shortTerm))
            let (momentary, peak) = (text(loudness?.momentary), text(loudness?.truePeak))
            return [
                "loudness \(whole) LUFS  short-term \(shortTerm)  momentary \(momentary)  true peak \(peak) dBTP",
                "\(whole) LUFS  S \(shortTerm)  M \(momentary)  TP \(peak) dBTP", "\(whole) LUFS",
            ]
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
}
