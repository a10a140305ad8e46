import ACCAudioRecorder
import Glibc

/// The file that a take is being written to, as the disk sees it.
struct TakeFile {
    /// Its own path, where the take goes in the end.
    let path: String
    private let writtenPath: String
    /// The time of the take at which the file began, in seconds.
    private let start: Double

    /// Nil for an output that is no file.
    init?(_ output: RecordingOutput, start: Double = 0) {
        guard case .file(let path) = output.destination, let writtenPath = output.pathWhileWritten else { return nil }
        self.path = path
        self.writtenPath = writtenPath
        self.start = start
    }

    /// Its name alone.
    var name: String { path.split(separator: "/").last.map(String.init) ?? path }

    /// Its size in bytes; nil where it cannot be told.
    var byteCount: Int? {
        var status = stat()
        return stat(writtenPath, &status) == 0 ? Int(status.st_size) : nil
    }

    /// How much more of the take the disk holds, in seconds, if it goes on growing as it did until now; nil where that
    /// cannot be told.
    ///
    /// - Parameter time: How long the take is, in seconds.
    func room(at time: Double) -> Double? {
        guard time - start >= 1, let byteCount, byteCount > 0, let disk = DiskRoom(path: writtenPath) else {
            return nil
        }
        return disk.duration(growingBy: Double(byteCount) / (time - start))
    }
}
