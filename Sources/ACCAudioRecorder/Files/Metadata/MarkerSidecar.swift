import FoundationEssentials
import Glibc
import SystemPackage

/// A text file of markers beside an output, `take.flac.labels.txt`, which Audacity can import: one line for each, with its
/// start and end in seconds and its label. The first one says of which recording they are.
///
/// The file is created with the first marker, and each marker is written at once, so that none is lost if the program
/// is killed.
struct MarkerSidecar: ~Copyable {
    private let file: AtomicFile
    var descriptor: FileDescriptor { file.descriptor }

    private static let suffix = ".labels.txt"
    private static let titleStart = "markers of "
    /// The maximum length of a list that is read, in bytes.
    private static let longest = 16 << 20

    /// The path of the sidecar for the output at this path.
    static func path(besides path: String) -> String { path + suffix }

    /// The path number `number` of the sidecar, counted from 1: other files may have those before.
    private static func path(besides path: String, _ number: Int) -> String {
        PathStem(Self.path(besides: path)).path(number)
    }

    /// Creates the sidecar for the output at this path.
    ///
    /// - Parameter date: The audio file's date, as its tag says; nil if it has none.
    init(
        besides path: String, date: String?, output: RecordingOutput
    ) throws(ACCAudioRecorderError) {
        let name = PathStem(Self.path(besides: path))
        let replaces = output.replacesExisting && Self.mayReplace(name.path(1), besides: path, output)
        let file = try AtomicFile(
            path: replaces ? name.path(1) : name.path(name.firstFree(from: 1)), replacesExisting: replaces,
            replaceable: output.replaceable, isSynced: output.syncInterval > .zero)
        do {
            try Self.add(Self.title(ofFileAt: path, date), at: 0, to: file)
        } catch {
            file.remove()
            throw error
        }
        self.file = file
    }

    /// Whether an output that replaces others may replace a list with them: nothing, or that of the recording it replaces.
    private static func mayReplace(_ list: String, besides path: String, _ output: RecordingOutput) -> Bool {
        guard output.mayReplace(list) else { return false }
        return !PathStem.isTaken(list) || listToReplace(besides: path)?.path == list
    }

    /// The label of the first line.
    private static func title(ofFileAt path: String, _ date: String?) -> String {
        line("\(titleStart)\(FilePath(path).lastComponent?.string ?? path)\(ending(date))")
    }

    private static func ending(_ date: String?) -> String { date.map { ", \($0)" } ?? "" }

    /// The label on one line.
    static func line(_ label: String) -> String {
        PrintableText.line(String(label.map { $0.isNewline || $0 == "\t" ? " " : $0 }))
    }

    /// Writes a line, in which a character that a terminal would interpret is a question mark.
    ///
    /// - Parameter seconds: The position in the output.
    func add(_ label: String, at seconds: Double) throws(ACCAudioRecorderError) {
        try Self.add(label, at: seconds, to: file)
    }

    private static func add(
        _ label: String, at seconds: Double, to file: borrowing AtomicFile
    ) throws(ACCAudioRecorderError) {
        let (whole, fraction) = Int((seconds * 1e6).rounded()).quotientAndRemainder(dividingBy: 1_000_000)
        let place = "\(whole).\(String(1_000_000 + fraction).dropFirst())"
        do {
            try file.descriptor.writeAll("\(place)\t\(place)\t\(line(label))\n".utf8)
        } catch {
            throw .outputFailed(
                .init(
                    .cannotWrite, "cannot write a marker to '\(file.path)'", cause: "\(error)",
                    remedy: "Check that the disk has free space and is writable."))
        }
    }

    /// Closes the file and moves it to its final path.
    ///
    /// - Parameters:
    ///   - path: The final path of the audio file.
    ///   - isWhole: Whether it may replace another file.
    consuming func keep(besides path: String, isWhole: Bool) throws(ACCAudioRecorderError) -> CreatedFile {
        let otherName = isWhole ? nil : FilePath(Self.path(besides: path)).lastComponent?.string
        return try file.keep(isWhole: isWhole, as: otherName).file
    }

    /// Removes the file.
    consuming func remove() {
        file.remove()
    }
}

// MARK: - Reading

extension MarkerSidecar {
    /// A list beside a file that a recorder wrote.
    private struct List {
        let path: String
        let title: String
        let markers: [FileMarker]

        /// Whether it is of a recording of this date. The name in the title does not tell, since files are renamed together
        /// with their lists. Of the date, MP3 states only the year.
        func isOf(_ date: String?) -> Bool { date.map { title.contains(line(ending($0))) } ?? true }
    }

    /// The markers of the file at this path that its sidecar has; empty if none beside it is of this recording.
    ///
    /// - Parameter date: The file's date, as its tag says; nil if it has none.
    static func markers(besides path: String, date: String?) -> [FileMarker] {
        lists(besides: path).first { $0.isOf(date) }?.markers ?? []
    }

    /// Removes the list of a recording that has just been replaced, if its title says that it was of the file of that name.
    static func removeReplaced(besides path: String) {
        guard let list = listToReplace(besides: path) else { return }
        // One that cannot be removed may still tell by its date that it is of the old recording.
        unlink(list.path)
    }

    private static func listToReplace(besides path: String) -> List? {
        lists(besides: path).first { $0.title.hasPrefix(title(ofFileAt: path, nil)) }
    }

    private static func lists(besides path: String) -> [List] {
        var lists: [List] = []
        var number = 1
        while let text = text(ofFileAt: self.path(besides: path, number)) {
            let markers = markers(in: text)
            if let title = markers.first?.label, title.hasPrefix(titleStart) {
                lists.append(
                    List(path: self.path(besides: path, number), title: title, markers: Array(markers.dropFirst())))
            }
            number += 1
        }
        return lists
    }

    /// Nil if there is no such regular file, or a longer one than markers need.
    private static func text(ofFileAt path: String) -> String? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= longest else {
            return nil
        }
        return try? String(contentsOfFile: path, encoding: .utf8)
    }

    private static func markers(in text: String) -> [FileMarker] {
        text.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: "\t", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3, let seconds = Double(fields[0]), seconds.isFinite, seconds >= 0
            else { return nil }
            return FileMarker(offset: .limited(seconds: seconds), label: String(fields[2]))
        }
    }
}
