/// Makes external text, such as the name of a device or file, safe to print.
///
/// All messages, tables and the meter of the command use it, at the point of printing, and text files of markers.
package enum PrintableText {
    /// The text on one line, with a question mark for each character that a terminal would interpret or cannot show.
    ///
    /// - Parameter isUTF8: Whether the terminal shows UTF-8; otherwise only ASCII is kept.
    package static func line(_ text: String, isUTF8: Bool = true) -> String {
        guard !isPrintable(text, isUTF8: isUTF8) else { return text }
        var printable = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { printable.append(isPrintable(scalar, isUTF8: isUTF8) ? scalar : "?") }
        return String(printable)
    }

    /// Whether the text can be printed unchanged.
    package static func isPrintable(_ text: String, isUTF8: Bool = true) -> Bool {
        text.utf8.allSatisfy { (0x20..<0x7F).contains($0) }
            || text.unicodeScalars.allSatisfy { isPrintable($0, isUTF8: isUTF8) }
    }

    /// Whether a character is harmless: not a control character, not a change of text direction, and not invisible. The
    /// two joiners are allowed, because scripts and emoji need them.
    package static func isPrintable(_ scalar: Unicode.Scalar, isUTF8: Bool = true) -> Bool {
        if (0x20..<0x7F).contains(scalar.value) { return true }
        guard isUTF8 else { return false }
        if scalar == "\u{200C}" || scalar == "\u{200D}" { return true }
        return switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: false
        default: true
        }
    }
}

/// Finds the word that was probably meant by a misspelt one.
package enum NearestWord {
    /// The nearest word by edit distance (letters changed, inserted, deleted or swapped with the next); nil if none is near:
    /// one letter may differ, or a third of them if the first one does not, or one word begins or ends with the other.
    package static func to(_ word: String, among words: some Sequence<String>) -> String? {
        let (word, count) = (word.lowercased(), word.count)
        let near = words.compactMap { other -> (word: String, distance: Int)? in
            let lower = other.lowercased()
            let limit = lower.first == word.first ? max(count / 3, 1) : 1
            let isPart = isPart(word, of: lower) || isPart(lower, of: word) || count > 3 && word.hasSuffix(lower)
            // The difference in length is a lower bound of the distance, which is slow to compute for long words.
            guard abs(other.count - count) <= (isPart ? 2 * min(count, other.count) : limit) else { return nil }
            let distance = distance(from: word, to: lower)
            return isPart || distance <= limit ? (other, distance) : nil
        }
        return near.min { $0.distance < $1.distance }?.word
    }

    /// Whether a word begins with this one, of at least three letters.
    private static func isPart(_ start: String, of word: String) -> Bool { start.count >= 3 && word.hasPrefix(start) }

    /// The optimal string alignment distance.
    private static func distance(from word: String, to other: String) -> Int {
        let word = Array(word)
        let other = Array(other)
        var beforeLast: [Int] = []
        var last = Array(0...other.count)
        for row in word.indices {
            var current = [row + 1]
            for column in other.indices {
                let isSame = word[row] == other[column]
                var best = min(last[column] + (isSame ? 0 : 1), last[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, word[row] == other[column - 1], word[row - 1] == other[column] {
                    best = min(best, beforeLast[column - 1] + 1)
                }
                current.append(best)
            }
            (beforeLast, last) = (last, current)
        }
        return last[other.count]
    }
}
