/// A marker in a form that players show: a chapter begins there, and ends where the next one begins.
struct Chapter: Sendable, Hashable {
    /// The start in milliseconds.
    let start: Int
    /// On one line.
    let title: String

    /// The chapters of markers, in the order of time.
    ///
    /// - Parameter markers: Each with its frame in the file.
    static func all(_ markers: [(frame: Int, label: String)], sampleRate: Int) -> [Chapter] {
        markers.sorted { $0.frame < $1.frame }.map { marker in
            Chapter(start: marker.frame * 1_000 / sampleRate, title: MarkerSidecar.line(marker.label))
        }
    }
}

extension Chapter {
    /// The part of a file that holds its tags and chapters, and is replaced to add chapters. The file may be anybody's.
    protocol Holder {
        /// The offsets in bytes of the part.
        var range: Range<Int> { get }

        /// The chapters, in the order of the file.
        var chapters: [Chapter] { get }

        /// The part with these chapters instead of none; nil if it cannot hold them.
        ///
        /// - Parameter end: The end of the last chapter in milliseconds.
        func bytes(with chapters: [Chapter], until end: Int) -> [UInt8]?
    }
}

extension AudioFileReader {
    /// The part of the file that holds chapters or could hold them; nil if there is none.
    var chapterHolder: (any Chapter.Holder)? {
        get throws(ACCAudioRecorderError) {
            let start = try bytes(at: 0, count: 4)
            if start.elementsEqual("fLaC".utf8) { return try FLACComments(self) }
            if start.elementsEqual("OggS".utf8) { return try OggComments(self) }
            return try ID3Tag(self)
        }
    }
}
