/// Emulates the part of a terminal that the display uses; anything else stops the test.
struct EmulatedScreen {
    private(set) var rows: [[Unicode.Scalar]] = [[]]
    private(set) var row = 0
    private(set) var column = 0
    /// The length of each row as tmux has it, which a row keeps that is cleared from its middle.
    private(set) var lengths: [Int] = [0]

    /// The rows without trailing spaces.
    var text: [String] {
        rows.map { row in
            var view = String.UnicodeScalarView(row.filter { $0 != "\0" })
            while view.last == " " { view.removeLast() }
            return String(view)
        }
    }

    mutating func write(_ text: String, width: (Unicode.Scalar) -> Int) {
        var scalars = Array(text.unicodeScalars)[...]
        while let scalar = scalars.popFirst() {
            switch scalar {
            case "\r": column = 0
            case "\n":
                row += 1
                if row == rows.count {
                    rows.append([])
                    lengths.append(0)
                }
            case "\u{1B}":
                precondition(scalars.popFirst() == "[")
                let digits = scalars.prefix { ("0"..."9").contains($0) || $0 == ";" }
                scalars = scalars.dropFirst(digits.count)
                let number = Int(String(String.UnicodeScalarView(digits))) ?? 1
                control(scalars.popFirst()!, number)
            default:
                while rows[row].count < column { rows[row].append(" ") }
                let cells = [scalar] + (width(scalar) == 2 ? ["\0"] : [])
                rows[row].replaceSubrange(column..<min(column + cells.count, rows[row].count), with: cells)
                column += cells.count
                lengths[row] = max(lengths[row], column)
            }
        }
    }

    /// Clears the rest of the row.
    private mutating func clearRow() {
        rows[row].removeSubrange(min(column, rows[row].count)...)
        if column == 0 { lengths[row] = 0 }
    }

    private mutating func control(_ final: Unicode.Scalar, _ number: Int) {
        switch final {
        case "A": row = max(row - number, 0)
        case "B": row = min(row + number, rows.count - 1)
        case "C": column += number
        case "K": clearRow()
        case "J":
            clearRow()
            rows.removeSubrange((row + 1)...)
            lengths.removeSubrange((row + 1)...)
        case "m": break
        default: preconditionFailure("CSI \(final)")
        }
    }
}
