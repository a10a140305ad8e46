import ACCAudioRecorder
import Glibc
import SystemPackage

/// The page and the picture of a check, whose paths are examined before the first file is read.
struct PageFiles {
    private let page: PageFile?
    private let picture: PageFile?
    /// Nil where no picture is written as PNG.
    private let drawing: PNGPicture?

    /// - Throws: `ACCAudioRecorderError` if one cannot be created, and `ValidationError` if both are the same file.
    init(_ options: PageOptions) throws {
        var files = OwnFiles()
        try files.add("the page", options.html)
        try files.add("the picture", options.picture)
        page = try options.html.map { try PageFile(path: $0, name: "page", mark: CheckPage.mark, options) }
        let form = options.picture.flatMap { PictureForm(path: $0) }
        drawing = form == .png ? try PNGPicture() : nil
        picture = try options.picture.map {
            try PageFile(path: $0, name: "picture", mark: form?.mark ?? TakePicture.mark, options)
        }
    }

    /// Writes what was asked for.
    ///
    /// - Parameters:
    ///   - takes: One for each file.
    ///   - paths: The files, in the same order.
    ///   - isQuiet: Whether to leave out which files were written.
    func write(_ takes: [PageTake], ofFilesAt paths: [String], isQuiet: Bool) throws {
        let tell = { (name: String, file: PageFile) in
            if !isQuiet { StandardError.tell("wrote the \(name) '\(file.path)'") }
        }
        if let page {
            let title = paths.count == 1 ? paths[0] : "accrec check"
            try CheckPage.write(to: page.file, title: title, takeCount: takes.count) { writer in
                for (take, path) in zip(takes, paths) {
                    // Only now the directory of the page exists for certain.
                    try writer.add(take.at(PageAddress.relative(to: path, fromPageAt: page.path)))
                }
            }
            tell("page", page)
        }
        // There is nothing to draw of a file that cannot be read.
        if let picture, let take = takes.first, take.curves != nil {
            let svg = TakePicture.text(of: take)
            try picture.file.write(drawing?.bytes(of: svg) ?? Array(svg.utf8))
            tell("picture", picture)
        }
    }
}

extension PageFiles {
    /// A file to write, which holds nothing but an earlier one of its kind.
    private final class PageFile: Sendable {
        let path: String
        let file: WholeFile

        /// - Parameter mark: What the first kilobyte of each such file has.
        init(path: String, name: String, mark: String, _ options: PageOptions) throws(ACCAudioRecorderError) {
            if options.force, !Self.isReplaceable(path, mark: mark) {
                throw .outputFailed(
                    .init(
                        .fileExists, "cannot replace '\(path)'", cause: "it is not a \(name) that accrec has written",
                        remedy: "Use another name for the \(name)."))
            }
            self.path = path
            file = try WholeFile(
                path: path, replacesExisting: options.force, makesDirectories: options.mkdir)
        }

        /// Whether there is no file at a path, or an empty one, or an earlier one of its kind: a mistyped name costs no recording.
        private static func isReplaceable(_ path: String, mark: String) -> Bool {
            var status = stat()
            guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 else { return true }
            guard let file = try? FileDescriptor.open(FilePath(path), .readOnly, options: [.nonBlocking, .closeOnExec])
            else {
                return false
            }
            let start = try? file.closeAfter {
                var bytes = [UInt8](repeating: 0, count: 1_024)
                let count = try bytes.withUnsafeMutableBytes { try file.read(into: $0) }
                return String(decoding: bytes[..<count], as: UTF8.self)
            }
            return start?.contains(mark) == true
        }
    }
}
