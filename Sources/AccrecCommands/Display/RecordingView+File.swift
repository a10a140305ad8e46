import ACCAudioRecorder
import Glibc
import SystemPackage

extension RecordingView {
    /// The file that a recording is being written to.
    struct File {
        /// The final path.
        let path: String
        private let writtenPath: String
        /// When the file began, in seconds since the start of the recording.
        private let start: Double

        /// Nil for an output that is not a file.
        init?(_ output: RecordingOutput, start: Double = 0) {
            guard case .file(let path) = output.destination, let writtenPath = output.pathWhileWritten else {
                return nil
            }
            self.path = path
            // A file with an automatically chosen name is written in place.
            var status = stat()
            self.writtenPath = stat(writtenPath, &status) == 0 ? writtenPath : path
            self.start = start
        }

        /// The file name without its directory.
        var name: String { FilePath(path).lastComponent?.string ?? path }

        /// The size in bytes, or nil if unknown.
        var byteCount: Int? {
            var status = stat()
            return stat(writtenPath, &status) == 0 ? Int(status.st_size) : nil
        }

        /// The remaining recording time on the disk in seconds, assuming the average growth so far, or nil if unknown.
        ///
        /// - Parameter time: The elapsed time of the recording, in seconds.
        func room(at time: Double) -> Double? {
            guard time - start >= 1, let byteCount, byteCount > 0, let disk = DiskRoom(path: writtenPath) else {
                return nil
            }
            return disk.duration(growingBy: Double(byteCount) / (time - start))
        }
    }
}
