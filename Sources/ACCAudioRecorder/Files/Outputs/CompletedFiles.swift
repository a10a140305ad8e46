import Glibc
import SystemPackage

/// The files of an output that are complete, while its recording goes on: removes the oldest ones as the policy says, also
/// those of earlier recordings, and gives one that is to replace an older file its name at the end.
struct CompletedFiles {
    private var list: FileList
    private let policy: RetentionPolicy
    /// The files that are ours; nil if none is removed.
    private let ledger: FileLedger?
    private let held: HeldFiles?
    private let notify: @Sendable (OutputWriter.Notice) -> Void

    /// - Parameters:
    ///   - destination: That of the output.
    ///   - held: The complete files that a program still needs.
    init(
        of destination: RecordingOutput.Destination, keeping policy: RetentionPolicy, held: HeldFiles?,
        notify: @escaping @Sendable (OutputWriter.Notice) -> Void
    ) {
        (self.policy, self.held, self.notify) = (policy, held, notify)
        ledger = policy.isBounded ? FileLedger(of: destination, hasProgram: held != nil) { notify(.warning($0)) } : nil
        list = FileList(of: destination, mayRemove: ledger != nil)
    }

    var isEmpty: Bool { list.isEmpty }

    /// Notes that the current file was created. One that is hidden, or of another name, until it is complete is not ours before.
    func begin(_ output: RecordingOutput, number: Int) {
        if case .file(let path) = output.destination, !output.replacesExisting { ledger?.begin(path, number: number) }
        followEarlierFiles()
    }

    /// Why a later recording would not remove the current file in its turn, should this recorder be killed; nil if it would, or if
    /// no file is removed.
    func doubt(about output: RecordingOutput) -> ACCAudioRecorderError? {
        guard ledger != nil, case .file(let path) = output.destination, !output.replacesExisting,
            UnfinishedFile.isUnrecognizable(path)
        else { return nil }
        return .outputFailed(
            .init(
                .cannotWrite, "cannot recognize '\(path)' later, should this recorder be killed",
                cause: UnfinishedFile.unrecognizableCause,
                remedy: "Delete the file that a killed recorder leaves yourself, once it is not needed."))
    }

    /// Follows files of earlier recordings that a program needs.
    private func followEarlierFiles() {
        guard let held, let ledger else { return }
        for path in ledger.takeAwaited() {
            guard let version = FileVersion(path: path) else { continue }
            held.follow(version) { ledger.release(path, as: $0) }
        }
    }

    /// The number in the name of the newest file that earlier recordings have made; 0 without one.
    var lastNumber: Int { ledger?.lastNumber ?? 0 }

    /// - Parameter hostTime: When the file was complete, in CLOCK_MONOTONIC nanoseconds.
    mutating func append(_ report: OutputReport, _ created: [CreatedFile], at hostTime: UInt64) {
        list.append(report, created)
        note(report, created, at: hostTime)
    }

    /// Notes that a file is complete, whose report is not among these.
    func note(_ report: OutputReport, _ created: [CreatedFile], at hostTime: UInt64) {
        if let version = report.versions.first {
            held?.hold(version) { [ledger, path = created.first?.path] successor in
                if let path { ledger?.release(path, as: successor) }
            }
        }
        ledger?.complete(created, at: hostTime)
    }

    /// Adds frames that no file has after the last one.
    ///
    /// - Returns: The loss; nil without a file.
    mutating func appendLoss(of frames: Int) -> OutputReport.Loss? {
        guard let last = list.files.last else { return nil }
        let loss = OutputReport.Loss(
            position: last.report.frameCount, frameCount: frames, isFilled: false, cause: .noFile)
        list.update(list.files.count - 1) { $0.report.append(loss) }
        return loss
    }

    /// The reports, with the present paths.
    ///
    /// - Parameter moved: The present path for an earlier one.
    func reports(_ moved: (String) -> String) -> [OutputReport] {
        list.reports.map { report in
            var report = report
            if let path = report.path { report.follow(to: moved(path)) }
            return report
        }
    }

    /// Removes the files that exceed the policy.
    ///
    /// - Parameters:
    ///   - hasCurrent: Whether there is another file besides.
    ///   - hostTime: The time in CLOCK_MONOTONIC nanoseconds.
    mutating func removeOldest(hasCurrent: Bool, at hostTime: UInt64, _ moved: (String) -> String) {
        guard let ledger else { return }
        for (entry, bound) in ledger.takeExcess(of: policy, hasCurrent: hasCurrent, at: hostTime) {
            let paths = entry.parts.map { moved(ledger.path(of: $0)) }
            for (part, path) in zip(entry.parts, paths) {
                report(removing: path, by: bound) { () throws(Errno) in try part.remove(at: path) }
            }
            guard let audio = paths.first else { continue }
            if entry.isAwaited { notify(.warning(.removedTooSoon(audio))) }
            let removed = list.remove { moved($0) == audio }
            // Nobody asks for what a program has made of it.
            for version in removed.compactMap(\.version) { _ = held?.takeSuccessor(of: version) }
        }
    }

    /// Removes all files that are listed, but not those of earlier recordings.
    mutating func discard(_ moved: (String) -> String) {
        for file in list.files.flatMap(\.files) {
            let path = moved(file.path)
            report(removing: path, by: nil) { () throws(Errno) in
                let successor = file.version.flatMap { held?.takeSuccessor(of: $0) }
                return try CreatedFile(path: path, version: file.version).remove(orAs: successor)
            }
        }
        ledger?.forget(list.files.compactMap { $0.files.first.map { moved($0.path) } })
        list.removeListed()
    }

    /// Removes a file, unless others have changed or replaced it; then a warning is sent.
    ///
    /// - Parameters:
    ///   - bound: The bound that it exceeds; nil if its removal is not told.
    ///   - remove: Returns false if it was gone.
    private func report(
        removing path: String, by bound: RetentionPolicy.Bound?, _ remove: () throws(Errno) -> Bool
    ) {
        do throws(Errno) {
            if try remove(), let bound { notify(.fileRemoved(path: path, bound: bound)) }
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

    /// At the end of the recording, gives a file that is to replace an older one its name.
    ///
    /// - Parameters:
    ///   - isWhole: Whether the recording reached its intended end. If not, the older file stays.
    ///   - hostTime: The time in CLOCK_MONOTONIC nanoseconds.
    mutating func replaceOlder(isWhole: Bool, at hostTime: UInt64, _ moved: (String) -> String) {
        for (index, file) in list.files.enumerated() where file.report.isProvisional {
            var report = file.report
            let destination = file.files.first?.older?.path ?? report.path ?? ""
            report.isProvisional = false
            do throws(Errno) {
                guard isWhole else { throw .canceled }
                var created: [CreatedFile] = []
                for file in file.files { created.append(try file.replaceOlder(moved)) }
                ledger?.forget(file.files.map { moved($0.path) })
                note(report, created, at: hostTime)
                list.update(index) { $0.files = created }
                if let path = created.first?.path { report.follow(to: path) }
                if let path = created.first?.path, created.count == 1 { MarkerSidecar.removeReplaced(besides: path) }
            } catch {
                notify(
                    .warning(
                        .cannotReplace(
                            "'\(destination)'", isWhole ? "\(error)" : nil, keptIn: moved(report.path ?? ""))))
            }
            list.update(index) { $0.report = report }
        }
    }
}

extension LedgerEntry.Part {
    /// Removes the file, unless it was changed or replaced.
    ///
    /// - Parameter place: Its present path.
    /// - Returns: False if it was gone.
    fileprivate func remove(at place: String) throws(Errno) -> Bool {
        var status = stat()
        guard lstat(place, &status) == 0 else { return false }
        let precision = HostFileSystem(of: AtomicFile.directory(of: place))?.timePrecision ?? 0
        guard isUnchanged(status, precision: precision) else { throw .fileExists }
        if unlink(place) == 0 { return true }
        if errno == ENOENT { return false }
        throw Errno(rawValue: errno)
    }
}

extension ACCAudioRecorderError {
    fileprivate static func removedTooSoon(_ path: String) -> ACCAudioRecorderError {
        .outputFailed(
            .init(
                .cannotWrite, "'\(path)' was removed before its program has had it",
                cause: "much more waits for the program than is to be kept", remedy: "See why that fails, or keep more."
            ))
    }
}
