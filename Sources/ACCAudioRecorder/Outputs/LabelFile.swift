import FoundationEssentials
import SystemPackage

/// Markers beside an output, as Audacity imports them: a line for each, with its start and end in seconds and its label.
///
/// The file is made with the first marker, and each is in it at once, so that a program that is killed loses none.
struct LabelFile: ~Copyable {
    private let file: NewFile
    /// Where it is.
    var path: String { file.path }
    var descriptor: FileDescriptor { file.descriptor }

    /// Creates the file for the output at this path.
    init(besides path: String, replacesExisting: Bool, isSynced: Bool) throws(ACCAudioRecorderError) {
        let name = PathStem(PathStem(path).stem + ".labels.txt")
        file = try NewFile(
            path: name.path(replacesExisting ? 1 : name.firstFree(from: 1)), replacesExisting: replacesExisting,
            isSynced: isSynced)
    }

    /// Adds a line.
    ///
    /// - Parameter seconds: The place in the output.
    func add(_ label: String, at seconds: Double) throws(ACCAudioRecorderError) {
        let (whole, fraction) = Int((seconds * 1e6).rounded()).quotientAndRemainder(dividingBy: 1_000_000)
        let place = "\(whole).\(String(1_000_000 + fraction).dropFirst())"
        let text = String(label.map { $0.isNewline || $0 == "\t" ? " " : $0 })
        do {
            try file.descriptor.writeAll("\(place)\t\(place)\t\(text)\n".utf8)
        } catch {
            throw .outputFailed(
                .init(
                    .cannotWrite, "cannot write a marker to '\(file.path)'", cause: "\(error)",
                    remedy: "See that the disk has room and can be written."))
        }
    }

    /// Puts the file in its place.
    consuming func keep() throws(ACCAudioRecorderError) {
        _ = try file.keep()
    }

    /// Removes the file.
    consuming func remove() {
        file.remove()
    }
}
