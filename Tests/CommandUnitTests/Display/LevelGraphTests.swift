import Testing

@testable import AccrecCommands

@Suite struct LevelGraphTests {
    /// A graph of this many seconds, which rises from -60 to 0 dBFS.
    private func graph(seconds: Int) -> LevelGraph {
        var graph = LevelGraph()
        for step in 0..<seconds * 4 {
            graph.append(peak: -60 + 60 * Float(step + 1) / Float(seconds * 4), at: Double(step) / 4 + 0.1)
        }
        return graph
    }

    @Test("Times stand below their columns")
    func hasATimeAxis() {
        let lines = graph(seconds: 3).lines(columns: 79, rows: 20, style: .ascii).map(\.text)
        #expect(lines.count == 13 && lines.allSatisfy { $0.count == 79 })
        let axis = lines.last ?? ""
        #expect(axis.hasSuffix("now") && axis.prefix(59).hasSuffix("-5 s") && axis.prefix(39).hasSuffix("-10 s"))
        // Three seconds are twelve columns.
        #expect(lines[11].suffix(12).allSatisfy { $0 != " " } && lines[11].dropLast(12).hasSuffix("    "))
    }

    @Test("The colour is that of the row's level, in every column")
    func isColouredByRow() {
        let lines = graph(seconds: 10).lines(columns: 79, rows: 13, style: .utf8).dropLast()
        for (row, line) in lines.enumerated() {
            let inks = Set(line.cells.filter { $0.ink != .faint && $0.scalar != " " }.map(\.ink))
            #expect(inks == [LevelScale.ink(ofRow: row, of: 12)], "row \(row)")
        }
        #expect(lines.first?.cells.last?.ink == .high && lines.last?.cells.last?.ink == .low)
    }

    @Test func needsRoom() {
        #expect(graph(seconds: 1).lines(columns: 79, rows: 3, style: .utf8).isEmpty)
        #expect(graph(seconds: 1).lines(columns: 10, rows: 20, style: .utf8).isEmpty)
        #expect(graph(seconds: 1).lines(columns: 79, rows: 4, style: .utf8).count == 4)
    }
}
