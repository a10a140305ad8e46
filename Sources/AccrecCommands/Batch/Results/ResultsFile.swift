import FoundationEssentials
import Glibc
import SystemPackage

/// Where the results of a batch go: a line of JSON for each take, written at once after its files were completed, and
/// brought to the disk.
///
/// One batch at a time has it: a lock of the system's goes with the process.
actor ResultsFile {
    private let path: String
    private let descriptor: FileDescriptor
    /// What is told of takes, by their files; the last one counts.
    private(set) var told: [[String]: ToldResult]

    /// The file that is taken where none is named: `takes.results.jsonl` beside `takes.csv`.
    static func path(besides manifest: String) -> String {
        let path = FilePath(manifest)
        let stem = path.lastComponent?.stem ?? ""
        return path.removingLastComponent().appending("\(stem).results.jsonl").string
    }

    /// Opens or creates the file. What a program that was killed has left of a last line is cut off.
    ///
    /// - Parameter isContinued: Whether it may have results.
    init(path: String, isContinued: Bool) throws {
        self.path = path
        do {
            let descriptor = try FileDescriptor.open(
                FilePath(path), .readWrite, options: [.create, .closeOnExec],
                permissions: [.ownerReadWrite, .groupReadWrite, .otherReadWrite])
            do {
                told = try Self.takeOver(descriptor, path: path, isContinued: isContinued)
            } catch {
                try? descriptor.close()
                throw error
            }
            self.descriptor = descriptor
        } catch let error as Errno {
            throw ResultsFailure(path: path, cause: "\(error)", remedy: "Name a file that you can write (--results).")
        }
    }

    deinit {
        try? descriptor.close()
    }

    /// Adds what became of a take.
    func append(_ record: ResultRecord) throws {
        let line = Array(try JSONText.line(record).utf8)
        let end = try descriptor.seek(offset: 0, from: .end)
        do {
            try descriptor.writeAll(line)
            guard fsync(descriptor.rawValue) == 0 || errno == EINVAL else { throw Errno(rawValue: errno) }
        } catch {
            // No half of a line is left.
            try? descriptor.resize(to: end)
            throw ResultsFailure(path: path, cause: "\(error)", remedy: "The files of the take are kept.")
        }
        told[record.outputs] = ToldResult(record)
    }

    private static func takeOver(
        _ descriptor: FileDescriptor, path: String, isContinued: Bool
    ) throws -> [[String]: ToldResult] {
        guard flock(descriptor.rawValue, LOCK_EX | LOCK_NB) == 0 else {
            throw ResultsFailure(
                path: path, cause: "another batch is writing it", remedy: "Let that end, or name another (--results).")
        }
        guard try descriptor.seek(offset: 0, from: .end) > 0 else { return [:] }
        let text = try Data(contentsOf: URL(filePath: path))
        guard isContinued else {
            throw ResultsFailure(
                path: path, cause: "it has results already",
                remedy: "Go on with them (--continue), or name another (--results).")
        }
        let newline = UInt8(ascii: "\n")
        let whole = text.lastIndex(of: newline).map { text[...$0] } ?? Data()
        var told: [[String]: ToldResult] = [:]
        for (index, line) in whole.split(separator: newline).enumerated() {
            guard let result = try? JSONText.decode(ToldResult.self, from: Data(line)) else {
                throw ResultsFailure(
                    path: path, cause: "its line \(index + 1) is none of a batch", remedy: "Name another (--results).")
            }
            told[result.outputs] = result
        }
        if whole.count < text.count { try descriptor.resize(to: Int64(whole.count)) }
        return told
    }
}
