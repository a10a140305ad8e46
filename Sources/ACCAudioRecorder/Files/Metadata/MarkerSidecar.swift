import FoundationEssentials
import SystemPackage

/// A text file of markers beside an output, which Audacity can import: one line for each, with its start and end in
/// seconds and its label.
///
/// The file is created with the first marker, and each marker is written at once, so that none is lost if the program
/// is killed.
package struct MarkerSidecar: ~Copyable {
    private let file: AtomicFile
    var descriptor: FileDescriptor { file.descriptor }

    /// The path of the sidecar for the output at this path.
    static func path(besides path: String, keepsExtension: Bool) -> String {
        (keepsExtension ? path : PathStem(path).stem) + ".labels.txt"
    }

    /// Creates the sidecar for the output at this path.
    ///
    /// - Parameter keepsExtension: Whether its name includes the output's extension, to distinguish it from that of an
    ///   output with the same stem.
    init(
        besides path: String, keepsExtension: Bool, replacesExisting: Bool, isSynced: Bool
    ) throws(ACCAudioRecorderError) {
        let name = PathStem(Self.path(besides: path, keepsExtension: keepsExtension))
        file = try AtomicFile(
            path: name.path(replacesExisting ? 1 : name.firstFree(from: 1)), replacesExisting: replacesExisting,
            isSynced: isSynced)
    }

    /// Writes a line, in which a character that a terminal would interpret is a question mark.
    ///
    /// - Parameter seconds: The position in the output.
    func add(_ label: String, at seconds: Double) throws(ACCAudioRecorderError) {
        let (whole, fraction) = Int((seconds * 1e6).rounded()).quotientAndRemainder(dividingBy: 1_000_000)
        let place = "\(whole).\(String(1_000_000 + fraction).dropFirst())"
        let text = PrintableText.line(String(label.map { $0.isNewline || $0 == "\t" ? " " : $0 }))
        do {
            try file.descriptor.writeAll("\(place)\t\(place)\t\(text)\n".utf8)
        } catch {
            throw .outputFailed(
                .init(
                    .cannotWrite, "cannot write a marker to '\(file.path)'", cause: "\(error)",
                    remedy: "Check that the disk has free space and is writable."))
        }
    }

    /// The markers of the file at this path that its sidecar has, each with its position in seconds; empty if there is
    /// none.
    package static func markers(besides path: String) -> [(seconds: Double, label: String)] {
        let text = [true, false].lazy.compactMap { keepsExtension in
            try? String(contentsOfFile: Self.path(besides: path, keepsExtension: keepsExtension), encoding: .utf8)
        }.first
        return (text ?? "").split(separator: "\n").compactMap { line in
            let fields = line.split(separator: "\t", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3, let seconds = Double(fields[0]), seconds.isFinite, seconds >= 0
            else { return nil }
            return (seconds, String(fields[2]))
        }
    }

    /// Closes the file and moves it to its final path.
    ///
    /// - Parameter isWhole: Whether it may replace another file.
    consuming func keep(isWhole: Bool) throws(ACCAudioRecorderError) -> CreatedFile {
        try file.keep(isWhole: isWhole).file
    }

    /// Removes the file.
    consuming func remove() {
        file.remove()
    }
}
