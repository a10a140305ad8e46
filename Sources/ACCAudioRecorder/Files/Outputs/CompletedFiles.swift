import SystemPackage

/// The files of an output that are complete, while its recording goes on: removes the oldest ones to keep to a maximum
/// number, and gives one that is to replace an older file its name at the end.
struct CompletedFiles {
    private var files: [(report: OutputReport, files: [CreatedFile])] = []
    /// The maximum number of files, including the current one; nil for no limit.
    private let limit: Int?
    private let held: HeldFiles?
    private let notify: @Sendable (OutputWriter.Notice) -> Void

    init(limit: Int?, held: HeldFiles?, notify: @escaping @Sendable (OutputWriter.Notice) -> Void) {
        (self.limit, self.held, self.notify) = (limit, held, notify)
    }

    var isEmpty: Bool { files.isEmpty }

    mutating func append(_ report: OutputReport, _ created: [CreatedFile]) {
        files.append((report, created))
        if let version = report.versions.first { held?.hold(version) }
    }

    /// Adds frames that no file has after the last one.
    ///
    /// - Returns: The loss; nil without a file.
    mutating func appendLoss(of frames: Int) -> OutputReport.Loss? {
        guard let last = files.indices.last else { return nil }
        let loss = OutputReport.Loss(
            position: files[last].report.frameCount, frameCount: frames, isFilled: false, cause: .noFile)
        files[last].report.append(loss)
        return loss
    }

    /// The reports, with the present paths.
    ///
    /// - Parameter moved: The present path for an earlier one.
    func reports(_ moved: (String) -> String) -> [OutputReport] {
        files.map { file in
            var report = file.report
            if let path = report.path { report.follow(to: moved(path)) }
            return report
        }
    }

    /// Removes the oldest files if there are too many. Those that a program needs are left for the next time.
    ///
    /// - Parameter hasCurrent: Whether there is another file besides.
    mutating func removeOldest(hasCurrent: Bool = true, _ moved: (String) -> String) {
        guard let limit else { return }
        let excess = files.count + (hasCurrent ? 1 : 0) - limit
        guard excess > 0 else { return }
        // Asked for once, since a program may end meanwhile.
        let left = files.prefix(excess).filter { file in
            if isHeld(file.report) { return true }
            remove(file.files, moved, isReported: true)
            return false
        }
        files.replaceSubrange(..<excess, with: left)
    }

    private func isHeld(_ report: OutputReport) -> Bool {
        guard let held, let version = report.versions.first else { return false }
        return held.isHeld(version)
    }

    /// Removes all files.
    mutating func discard(_ moved: (String) -> String) {
        for file in files { remove(file.files, moved, isReported: false) }
        files = []
    }

    /// Removes files, unless others have changed or replaced them; then a warning is sent.
    private func remove(_ created: [CreatedFile], _ moved: (String) -> String, isReported: Bool) {
        for file in created {
            let path = moved(file.path)
            let successor = file.version.flatMap { held?.takeSuccessor(of: $0) }
            do throws(Errno) {
                let isRemoved = try CreatedFile(path: path, version: file.version).remove(orAs: successor)
                if isRemoved, isReported { notify(.fileRemoved(path: path)) }
            } catch {
                let cause = error == .fileExists ? "it was changed, or another file now has its name" : "\(error)"
                notify(
                    .warning(
                        .outputFailed(
                            .init(
                                .cannotWrite, "cannot remove '\(path)'", cause: cause,
                                remedy: "Remove it yourself if it is not needed."))))
            }
        }
    }

    /// At the end of the recording, gives a file that is to replace an older one its name.
    ///
    /// - Parameter isWhole: Whether the recording reached its intended end. If not, the older file stays.
    mutating func replaceOlder(isWhole: Bool, _ moved: (String) -> String) {
        for index in files.indices where files[index].report.isProvisional {
            var report = files[index].report
            let destination = files[index].files.first?.older?.path ?? report.path ?? ""
            report.isProvisional = false
            do throws(Errno) {
                guard isWhole else { throw .canceled }
                var created: [CreatedFile] = []
                for file in files[index].files { created.append(try file.replaceOlder(moved)) }
                files[index].files = created
                if let path = created.first?.path { report.follow(to: path) }
                if let path = created.first?.path, created.count == 1 { MarkerSidecar.removeReplaced(besides: path) }
            } catch {
                notify(
                    .warning(
                        .cannotReplace(
                            "'\(destination)'", isWhole ? "\(error)" : nil, keptIn: moved(report.path ?? ""))))
            }
            files[index].report = report
        }
    }
}
