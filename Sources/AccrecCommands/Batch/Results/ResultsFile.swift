import FoundationEssentials
import Glibc
import SystemPackage

/// The results file of a batch: one line of JSON per take, written and synced right after its files were completed.
///
/// A file lock, released by the system when the process ends, makes sure that one batch at a time uses it.
actor ResultsFile {
    private let path: String
    private let descriptor: FileDescriptor
    /// The last result of each take, by its files.
    private(set) var priorResults: [[String]: ResultRecord.Prior]

    /// The default path: `takes.results.jsonl` beside `takes.csv`.
    static func path(besides manifest: String) -> String {
        let path = FilePath(manifest)
        let stem = path.lastComponent?.stem ?? ""
        return path.removingLastComponent().appending("\(stem).results.jsonl").string
    }

    /// Whether there are results at a path, or something else.
    static func hasResults(path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_size > 0
    }

    /// Opens or creates the file, and truncates an incomplete last line that a killed program left.
    ///
    /// - Parameter isContinued: Whether it may already contain results.
    init(path: String, isContinued: Bool) throws {
        self.path = path
        do {
            let descriptor = try FileDescriptor.open(
                FilePath(path), .readWrite, options: [.create, .closeOnExec],
                permissions: [.ownerReadWrite, .groupReadWrite, .otherReadWrite])
            do {
                priorResults = try Self.readPriorResults(descriptor, path: path, isContinued: isContinued)
            } catch {
                try? descriptor.close()
                throw error
            }
            self.descriptor = descriptor
        } catch let error as Errno {
            throw Self.failure(of: path, "\(error)", "Name a writable file with --results.")
        }
    }

    deinit {
        try? descriptor.close()
    }

    /// Appends the result of a take.
    func append(_ record: ResultRecord) throws {
        let line = Array(try JSONText.line(record).utf8)
        let end = try descriptor.seek(offset: 0, from: .end)
        do {
            try descriptor.writeAll(line)
            guard fsync(descriptor.rawValue) == 0 || errno == EINVAL else { throw Errno(rawValue: errno) }
        } catch {
            // Leave no partial line.
            try? descriptor.resize(to: end)
            throw Self.failure(of: path, "\(error)", "The recorded files are kept.")
        }
        priorResults[record.outputs] = ResultRecord.Prior(record)
    }

    private static func failure(of path: String, _ cause: String, _ remedy: String) -> RunFailure {
        RunFailure("cannot write the results to '\(path)'", cause, remedy)
    }

    private static func readPriorResults(
        _ descriptor: FileDescriptor, path: String, isContinued: Bool
    ) throws -> [[String]: ResultRecord.Prior] {
        guard flock(descriptor.rawValue, LOCK_EX | LOCK_NB) == 0 else {
            throw Self.failure(
                of: path, "another batch is writing it", "Wait for that batch, or name another file with --results.")
        }
        let size = try descriptor.seek(offset: 0, from: .end)
        guard size > 0 else { return [:] }
        guard isContinued else {
            throw Self.failure(
                of: path, "it already has results",
                "Use --continue to continue that batch, or name another file with --results.")
        }
        var results: [[String]: ResultRecord.Prior] = [:]
        var lines = Lines(descriptor)
        while let line = try lines.next() {
            guard !line.isEmpty else { continue }
            guard let result = try? JSONText.decode(ResultRecord.Prior.self, from: Data(line)) else {
                throw Self.failure(
                    of: path, "its line \(lines.count) is not a result of a batch", "Name another file with --results.")
            }
            results[result.outputs] = result
        }
        if lines.byteCount < size {
            guard try !results.isEmpty || isPartialResult(descriptor, at: lines.byteCount) else {
                throw Self.failure(
                    of: path, "its last line is not a result of a batch", "Name another file with --results.")
            }
            try descriptor.resize(to: lines.byteCount)
        }
        return results
    }

    /// Whether what begins at an offset is the beginning of a result, whose keys are sorted.
    private static func isPartialResult(_ descriptor: FileDescriptor, at offset: Int64) throws -> Bool {
        let beginning = Array(#"{"attempts":"#.utf8)
        let bytes = try [UInt8](unsafeUninitializedCapacity: beginning.count) {
            $1 = try descriptor.read(fromAbsoluteOffset: offset, into: UnsafeMutableRawBufferPointer($0))
        }
        return beginning.starts(with: bytes)
    }
}

extension ResultsFile {
    /// Reads a file line by line, so that a long file is never in memory as a whole.
    private struct Lines {
        /// In bytes. A longer line is returned in pieces.
        private static let longest = 16 << 20
        private static let readSize = 1 << 16

        private let descriptor: FileDescriptor
        /// Bytes that were read but not returned yet begin at `start`.
        private var buffer: [UInt8] = []
        private var start = 0
        /// The number of lines returned.
        private(set) var count = 0
        /// The number of bytes returned, including line endings.
        private(set) var byteCount: Int64 = 0

        /// - Parameter descriptor: A file, positioned at its beginning.
        init(_ descriptor: FileDescriptor) {
            self.descriptor = descriptor
        }

        /// The next line without its line feed, or nil if no complete line is left.
        mutating func next() throws -> [UInt8]? {
            var searched = start
            while true {
                if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                    return removeLine(upTo: end, endCount: 1)
                }
                guard buffer.count - start < Self.longest else { return removeLine(upTo: buffer.endIndex, endCount: 0) }
                buffer.removeFirst(start)
                start = 0
                searched = buffer.count
                let offset = byteCount + Int64(buffer.count)
                let more = try [UInt8](unsafeUninitializedCapacity: Self.readSize) {
                    $1 = try descriptor.read(fromAbsoluteOffset: offset, into: UnsafeMutableRawBufferPointer($0))
                }
                if more.isEmpty { return nil }
                buffer += more
            }
        }

        private mutating func removeLine(upTo end: Int, endCount: Int) -> [UInt8] {
            let line = Array(buffer[start..<end])
            start = end + endCount
            count += 1
            byteCount += Int64(line.count + endCount)
            return line
        }
    }
}
