import SystemPackage

/// The markers and gaps of a file that is read: its cue points or chapters, or else the list beside it.
package enum FileMarkers {
    /// The markers, each with its position in seconds.
    ///
    /// - Parameter file: The same file.
    package static func all(
        ofFileAt path: String, _ file: borrowing SoundFileReader
    ) -> [(seconds: Double, label: String)] {
        let cues = file.cuePoints
        guard cues.isEmpty else {
            return cues.map { (Double($0.frame) / Double(max(file.sampleRate, 1)), $0.label) }
        }
        let chapters = chapters(ofFileAt: path)
        guard chapters.isEmpty else {
            // Not below the millisecond, so that it is shown as the same one.
            return chapters.sorted { $0.start < $1.start }.map { ((Double($0.start) / 1_000).nextUp, $0.title) }
        }
        return MarkerSidecar.markers(besides: path, date: file.text(of: .date))
    }

    /// The chapters of a file; empty for one that cannot be read.
    static func chapters(ofFileAt path: String) -> [Chapter] {
        guard let file = try? FileDescriptor.open(FilePath(path), .readOnly, options: [.closeOnExec, .nonBlocking])
        else {
            return []
        }
        defer { try? file.close() }
        return (try? AudioFileReader(file, name: path).chapterHolder?.chapters) ?? []
    }
}
