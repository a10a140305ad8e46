import ACCAudioRecorder
import ArgumentParser
import Glibc
import SystemPackage

/// The files that a check writes: a page of all takes, and the picture of one.
struct PageOptions: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp("Write all takes to this file, as a page to look at and listen to.", valueName: "file"),
        completion: .file(extensions: ["html"]))
    var html: String?

    @Option(
        help: ArgumentHelp("Draw the take into this file, .svg or .png. Only for a single file.", valueName: "file"),
        completion: .file(extensions: PictureForm.allCases.map(\.rawValue)))
    var picture: String?

    @Flag(help: "Create missing directories of the page and the picture.")
    var mkdir = false

    @Flag(help: "Replace an earlier page or picture.")
    var force = false

    func validate() throws {
        if let html, let ending = html.split(separator: "/").last?.split(separator: ".").dropFirst().last,
            !["html", "htm"].contains(ending.lowercased())
        {
            throw ValidationError("--html writes a page, such as takes.html, not '\(html)'.")
        }
        guard let picture, PictureForm(path: picture) == nil else { return }
        throw ValidationError("--picture writes .svg and .png, and '\(picture)' is neither.")
    }

    /// How much of each file is gathered; nil for nothing.
    func detail(takeCount: Int) -> PageDetail? {
        html != nil || picture != nil ? .of(takeCount: takeCount) : nil
    }
}

/// How much of each take a page holds: the less, the more takes there are, so that ten thousand open in a second or two.
struct PageDetail: Sendable, Hashable {
    let overview: TakeOverview.Detail
    let loudnessPoints: Int
    /// With more channels than this, a take has one lane for all of them.
    let lanes: Int
    /// Findings, gaps and markers of a take.
    let places: Int

    /// Of a picture, or a page of few takes: some 60 kB for a take.
    static let fine = PageDetail(
        overview: .init(waveformColumns: 800, spectrogramColumns: 400, bands: 96), loudnessPoints: 400, lanes: 16,
        places: 400)
    /// Some 15 kB for a take.
    static let medium = PageDetail(
        overview: .init(waveformColumns: 400, spectrogramColumns: 160, bands: 48), loudnessPoints: 200, lanes: 8,
        places: 100)
    /// Some 3 kB for a take: 30 MB for ten thousand.
    static let coarse = PageDetail(
        overview: .init(waveformColumns: 120, spectrogramColumns: 48, bands: 20), loudnessPoints: 60, lanes: 2,
        places: 10)
    /// Less than 1 kB for a take, without a spectrogram.
    static let least = PageDetail(
        overview: .init(waveformColumns: 60, spectrogramColumns: 0, bands: 1), loudnessPoints: 30, lanes: 1, places: 4)

    /// The detail of a page of this many takes.
    static func of(takeCount: Int) -> PageDetail {
        switch takeCount {
        case ...50: fine
        case ...1_000: medium
        case ...20_000: coarse
        default: least
        }
    }
}

/// What a picture is written as.
enum PictureForm: String, CaseIterable {
    case svg, png

    /// By the end of a path: SVG where there is none, such as of a device; nil for that of another form.
    init?(path: String) {
        let name = path.split(separator: "/").last ?? ""
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else {
            self = .svg
            return
        }
        self.init(rawValue: name[name.index(after: dot)...].lowercased())
    }

    /// What each picture has within its first kilobyte, and no other file.
    var mark: String {
        switch self {
        case .svg: TakePicture.mark
        case .png: PNGPicture.mark
        }
    }
}

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

/// The address of a file, relative to the page that plays it.
enum PageAddress {
    /// The relative URL (RFC 3986) of a file, which begins with `./` or `../`, so that no name looks like a scheme. Symbolic
    /// links are followed, because a browser takes `..` from where the page really is.
    ///
    /// - Returns: Nil if the file or the folder of the page does not exist.
    static func relative(to file: String, fromPageAt page: String) -> String? {
        let folder = page.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        let pageFolder = folder.isEmpty ? (page.hasPrefix("/") ? "/" : ".") : folder
        guard let target = components(ofRealPath: file), let base = components(ofRealPath: pageFolder) else {
            return nil
        }
        let shared = zip(target, base).prefix { $0 == $1 }.count
        let up = base.count - shared
        let start = up == 0 ? ["."] : Array(repeating: "..", count: up)
        return (start + target[shared...].map(encoded)).joined(separator: "/")
    }

    private static func components(ofRealPath path: String) -> [[UInt8]]? {
        guard !path.utf8.contains(0), let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        let bytes = UnsafeRawBufferPointer(start: real, count: strlen(real))
        return bytes.split(separator: UInt8(ascii: "/")).map(Array.init)
    }

    /// Each byte but the unreserved ones as `%XX`.
    private static func encoded(_ component: [UInt8]) -> String {
        var text = ""
        for byte in component {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                text.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                text += "%" + (digits.utf8.count < 2 ? "0" : "") + digits
            }
        }
        return text
    }
}
