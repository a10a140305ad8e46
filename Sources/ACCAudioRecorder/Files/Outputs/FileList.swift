/// The complete files of an output, for its report: the first and the last ones one by one, and those between them as one report,
/// so that a recording of a year needs no more memory than one of a day.
struct FileList {
    struct File {
        var report: OutputReport
        var files: [CreatedFile]
    }

    /// What is left of a file that is not listed, where it may be removed.
    private struct Removable {
        let path: String
        let frameCount: Int
        let byteCount: Int
    }

    /// As many of the first files are listed one by one, and as many of the last ones.
    static let listedCount = 512

    /// The files that are listed one by one, in order.
    private(set) var files: [File] = []
    /// The files between the first and the last ones.
    private var others: OutputReport?
    private var removable: [Removable] = []
    /// How many of `files` are before the others.
    private var firstCount = listedCount
    private let destination: RecordingOutput.Destination
    private let mayRemove: Bool

    /// - Parameters:
    ///   - destination: That of the output.
    ///   - mayRemove: Whether files are removed while the recording goes on.
    init(of destination: RecordingOutput.Destination, mayRemove: Bool) {
        (self.destination, self.mayRemove) = (destination, mayRemove)
    }

    var isEmpty: Bool { files.isEmpty }

    mutating func append(_ report: OutputReport, _ created: [CreatedFile]) {
        if files.count - firstCount == Self.listedCount { unlist(files.remove(at: firstCount).report) }
        files.append(File(report: report, files: created))
    }

    private mutating func unlist(_ report: OutputReport) {
        if mayRemove, removable.count < FileLedger.capacity, let path = report.path {
            removable.append(Removable(path: path, frameCount: report.frameCount, byteCount: report.byteCount))
        }
        if others == nil { others = report.unlisted(of: destination) } else { others?.join(report) }
    }

    /// Changes the report of a listed file.
    mutating func update(_ index: Int, _ change: (inout File) -> Void) { change(&files[index]) }

    /// Takes out a file that was removed.
    ///
    /// - Parameter isIt: Whether a path is the file's.
    /// - Returns: What was created for it; empty if it was not listed.
    mutating func remove(where isIt: (String) -> Bool) -> [CreatedFile] {
        if let index = files.firstIndex(where: { $0.report.path.map(isIt) == true }) {
            if index < firstCount, others != nil { firstCount -= 1 }
            return files.remove(at: index).files
        }
        guard let index = removable.firstIndex(where: { isIt($0.path) }) else { return [] }
        let file = removable.remove(at: index)
        others?.leaveOut(frames: file.frameCount, bytes: file.byteCount, isFirst: index == 0)
        if others?.fileCount == 0 { others = nil }
        return []
    }

    /// Forgets the listed files.
    mutating func removeListed() { (files, firstCount) = ([], 0) }

    /// The reports in order.
    var reports: [OutputReport] {
        var reports = files.map(\.report)
        if let others { reports.insert(others, at: firstCount) }
        return reports
    }
}
