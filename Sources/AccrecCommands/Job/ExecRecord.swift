import ACCAudioRecorder
import Dispatch
import FoundationEssentials
import Glibc
import SystemPackage

/// The files that the program of `--exec` is still to run for, kept beside them for the next recorder with the same command and
/// outputs should this one end before: a hidden file with a line of JSON for each, which exists only while there are any.
final class ExecRecord: Sendable {
    /// A file that waits, or that is being written.
    struct Entry: Codable, Equatable {
        /// An absolute path.
        let path: String
        /// Tells whether the path has been given to another file; 0 for a file that is being written.
        let inode: UInt64
        /// The report of the file, a line of JSON; empty for a file that is being written.
        let report: String
        /// When a file that is being written was created (`UnfinishedFile`); nil for one that is complete.
        let birth: Int64?
    }

    /// Who runs the program for what is left: `the next recording with this command and these outputs`.
    let heir: String
    private let directory: String
    /// What the names of the records of the same command and outputs begin with.
    private let prefix: String
    /// Writes in order, while the recording goes on.
    private let queue = DispatchQueue(label: "accrec.exec-record")
    /// Receives what went wrong.
    private let tell: @Sendable (String) -> Void

    /// The largest number of files that a record has.
    static let capacity = 1_000
    /// The largest size of a record in bytes: a report has a kilobyte or two.
    private static let largestSize = 16 << 20

    /// Whose files they are.
    enum Owner: Sendable {
        /// A recording with these outputs: the record stands in the directory of the first file.
        case recording([RecordingOutput])
        /// A batch with this file of results: the record stands beside it.
        case batch(results: String)

        /// The paths or templates by which it is known, and the directory of its record; nil without a file.
        fileprivate var place: (paths: [String], directory: String)? {
            switch self {
            case .recording(let outputs):
                let places = outputs.compactMap(\.destination.place)
                return places.first.map { (places.map(\.path), $0.directory) }
            case .batch(let results): return ([results], FilePath(results).removingLastComponent().string)
            }
        }

        fileprivate var heir: String {
            switch self {
            case .recording: "the next recording with this command and these outputs"
            case .batch: "the next run of this batch with this command"
            }
        }
    }

    /// - Parameter tell: Receives messages for the user, on any thread.
    /// - Returns: Nil without a file.
    init?(of program: ExecQueue.Program, for owner: Owner, tell: @escaping @Sendable (String) -> Void) {
        guard let (paths, directory) = owner.place else { return nil }
        self.directory = directory.absolutePath
        let words = [program.path] + program.arguments + paths.map(\.absolutePath)
        prefix = ".accrec-exec-\(String(fingerprintOf: words))."
        (heir, self.tell) = (owner.heir, tell)
    }

    private var path: String { "\(directory)/\(prefix)\(getpid())" }

    /// Keeps these files instead of those before, at most `capacity` of them.
    func save(_ entries: [Entry]) {
        queue.async { [self] in
            let lines = entries.prefix(Self.capacity).compactMap { try? JSONText.line($0) }
            guard !lines.isEmpty else {
                unlink(path)
                return
            }
            do throws(ACCAudioRecorderError) {
                try WholeFile(path: path, replacesExisting: true).write(lines.joined())
            } catch {
                tell("--exec: the files that wait are not kept over a restart: \(ErrorText.line(error))")
            }
        }
    }

    /// Waits until what was saved is written.
    func flush() { queue.sync {} }

    /// Takes over the files of recorders that have ended. Those are not forgotten before `save`, and then by `forget`.
    ///
    /// - Returns: The files, and the records that they are of.
    func takeOver() -> (entries: [Entry], records: [String]) {
        let records = names.filter(isLeft).sorted().filter(isOwn).compactMap(claim)
        return (Array(records.flatMap(entries).prefix(Self.capacity)), records)
    }

    /// Removes records that were taken over.
    func forget(_ records: [String]) {
        queue.async { for record in records { unlink(record) } }
    }

    /// The names of the records of the same command and outputs.
    private var names: [String] {
        guard let stream = opendir(directory) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream), names.count < Self.capacity {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasPrefix(prefix) { names.append(name) }
        }
        return names
    }

    /// Whether the recorder of a record has ended.
    private func isLeft(_ name: String) -> Bool {
        guard let processID = pid_t(name.dropFirst(prefix.count).prefix { $0 != "-" }), processID > 0 else {
            return false
        }
        return processID == getpid() || kill(processID, 0) != 0 && errno == ESRCH
    }

    /// Whether a record is a file of this user. One of another user could have a program of this one read any file.
    private func isOwn(_ name: String) -> Bool {
        var status = stat()
        guard lstat("\(directory)/\(name)", &status) == 0 else { return false }
        if Self.isRecord(status) { return true }
        tell("--exec: '\(directory)/\(name)' is no record of this user: it is ignored")
        return false
    }

    private static func isRecord(_ status: stat) -> Bool {
        status.st_mode & S_IFMT == S_IFREG && status.st_uid == geteuid() && status.st_size <= largestSize
    }

    /// Renames a record, so that only one of several recorders takes it over.
    private func claim(_ name: String) -> String? {
        let claimed = "\(path)-\(name.dropFirst(prefix.count))"
        return rename("\(directory)/\(name)", claimed) == 0 ? claimed : nil
    }

    /// The entries of a record, which may be another file by now than the one that was looked at.
    private func entries(of record: String) -> [Entry] {
        let number = open(record, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard number >= 0 else { return [] }
        defer { close(number) }
        var status = stat()
        guard fstat(number, &status) == 0, Self.isRecord(status) else { return [] }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        let count = max(read(number, &bytes, bytes.count), 0)
        return bytes.prefix(count).split(separator: UInt8(ascii: "\n")).compactMap {
            try? JSONText.decode(Entry.self, from: Data($0))
        }
    }
}

extension ExecRecord.Entry {
    /// A file that is complete; nil if it is gone.
    init?(path: String, report: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(path: path.absolutePath, inode: UInt64(status.st_ino), report: report, birth: nil)
    }

    /// A file that is being written.
    init(_ file: UnfinishedFile) {
        self.init(path: file.path.absolutePath, inode: 0, report: "", birth: file.birth)
    }

    /// The file that was being written; nil for one that was complete.
    var unfinished: UnfinishedFile? { birth.map { UnfinishedFile(path: path, birth: $0) } }

    /// Whether the path still leads to the file.
    var isThere: Bool { ExecRecord.Entry(path: path, report: report)?.inode == inode }
}

extension RecordingOutput.Destination {
    /// The path of a file or the template of several, and the directory; nil for a descriptor.
    fileprivate var place: (path: String, directory: String)? {
        switch self {
        case .file(let path): isStream ? nil : (path, FilePath(path).removingLastComponent().string)
        case .pattern(let pattern): (pattern.template, pattern.directory)
        case .descriptor: nil
        }
    }
}
