import CFileSystem
import Glibc

/// A file that a recording is writing, to be recognised and completed by a later one should its recorder be killed.
package struct UnfinishedFile: Hashable, Sendable {
    package let path: String
    /// When it was created, in nanoseconds since 1970, which no other file of this path shares.
    package let birth: Int64

    package init(path: String, birth: Int64) {
        (self.path, self.birth) = (path, birth)
    }

    /// The file at a path; nil where it cannot be told from others, since its file system does not say when it was created.
    package init?(path: String) {
        let birth = accrec_birth_time(path)
        guard birth != 0 else { return nil }
        self.init(path: path, birth: birth)
    }

    /// Whether there is a file at a path that cannot be told from others later.
    package static func isUnrecognizable(_ path: String) -> Bool {
        UnfinishedFile(path: path) == nil && FileVersion(path: path) != nil
    }

    package static let unrecognizableCause = "its file system does not say when a file was created"

    enum State {
        /// It is gone, or another file has its name.
        case gone
        /// Its recorder is writing it, or may be.
        case written
        /// Its recorder has ended.
        case left(stat)
    }

    var state: State {
        var status = stat()
        guard birth != 0, accrec_birth_time(path) == birth, lstat(path, &status) == 0 else { return .gone }
        return FileLock.state(of: path) == .free ? .left(status) : .written
    }

    /// Whether a recording is writing it.
    package var isWritten: Bool { if case .written = state { true } else { false } }

    /// Makes the file of a recorder that was killed readable. Blocks.
    ///
    /// - Returns: What it holds, with the error that says why it ended; nil if it is gone, or is being written.
    /// - Throws: `repairFailed` for a file that cannot be read: raw samples, and one that is damaged.
    package func complete() throws(ACCAudioRecorderError) -> OutputReport? {
        guard case .left(let status) = state, status.st_mode & S_IFMT == S_IFREG else { return nil }
        guard let container = Container(path: path) else {
            throw unreadable("its extension does not say what it is")
        }
        guard container != .raw else { throw unreadable("raw samples do not say what they are") }
        if container.traits.isMendable {
            let repair = try AudioFileRepair(path: path)
            if !repair.isWhole { try repair.repairInPlace() }
        }
        return try report(as: container)
    }

    private func report(as container: Container) throws(ACCAudioRecorderError) -> OutputReport {
        let reader: SoundFileReader
        do throws(SoundFileFailure) {
            reader = try SoundFileReader(path: path)
        } catch {
            throw unreadable(error.description)
        }
        guard let version = FileVersion(path: path) else { throw unreadable("it is gone") }
        var report = OutputReport(
            output: RecordingOutput(.file(path: path), container: container), sampleRate: reader.sampleRate,
            channelMap: reader.channelMap, frameCount: reader.frameCount, byteCount: version.byteCount,
            processingSteps: [.unreported],
            failure: .outputFailed(
                .init(
                    .cannotWrite, "'\(path)' ends early", cause: "its recorder was killed",
                    remedy: "Compare it with the files beside it.")))
        report.versions = [version]
        return report
    }

    private func unreadable(_ cause: String) -> ACCAudioRecorderError {
        .repairFailed(.init(.cannotRead, "cannot read '\(path)'", cause: cause, remedy: "Look at the file yourself."))
    }
}
