import ACCAudioRecorder
import FoundationEssentials
import Glibc
import SystemPackage

/// What a batch records, as its manifest says it: all of it checked before the first take.
struct BatchPlan {
    /// How many takes a batch may have.
    static let mostTakes = 100_000

    private(set) var rows: [BatchRow] = []
    private(set) var takeCount = 0
    /// Which line a file is named in.
    private var lines: [String: Int] = [:]

    /// - Parameters:
    ///   - isContinued: Whether files may be there already.
    ///   - own: Files of the batch itself, to which no take goes.
    init(
        _ manifest: Manifest, _ reader: RowReader, isContinued: Bool, own: [String], mistakes: inout ManifestMistakes
    ) {
        for path in own { lines[Self.place(of: path)] = 0 }
        for row in manifest.rows where !mistakes.isFull {
            guard let row = reader.takes(of: row, &mistakes) else { continue }
            takeCount += row.takes.count
            guard takeCount <= Self.mostTakes else {
                mistakes.add("there are more than \(Self.mostTakes) takes", line: row.takes[0].line)
                return
            }
            for take in row.takes where !mistakes.isFull { check(take, isContinued: isContinued, &mistakes) }
            let first = takeCount - row.takes.count
            rows.append(row.numbered(from: first + 1))
        }
    }

    /// Refuses what is known to fail.
    private mutating func check(_ take: BatchTake, isContinued: Bool, _ mistakes: inout ManifestMistakes) {
        for path in take.paths {
            let place = Self.place(of: path)
            guard let line = lines[place] else {
                lines[place] = take.line
                continue
            }
            let other =
                line == 0
                ? "the batch itself writes or reads it"
                : line == take.line ? "this row names it twice" : "line \(line) does, too"
            mistakes.add("it records to '\(path)', but \(other)", line: take.line)
        }
        do throws(ACCAudioRecorderError) {
            try take.configuration.validate(outputs: take.outputs(replacing: isContinued))
        } catch {
            mistakes.add("\(error)", line: take.line)
        }
    }

    /// By which two names of a file are known to be the same.
    private static func place(of path: String) -> String {
        let path = FilePath(path)
        let directory = path.removingLastComponent()
        let name = path.lastComponent.map(\.string) ?? ""
        guard let real = realpath(directory.isEmpty ? "." : directory.string, nil) else {
            // Of a directory that is still to be made.
            return FilePath(FileManager.default.currentDirectoryPath).pushing(path).lexicallyNormalized().string
        }
        defer { free(real) }
        return "\(String(cString: real))/\(name)"
    }
}

extension BatchRow {
    /// The row with its takes numbered in the batch.
    fileprivate func numbered(from first: Int) -> BatchRow {
        let takes = takes.enumerated().map { index, take in
            var take = take
            take.number = first + index
            return take
        }
        return BatchRow(takes: takes, start: start, pause: pause)
    }
}
