import FoundationEssentials
import Glibc
import Synchronization
import SystemPackage

/// The record of the files that recordings by one path or pattern have made, oldest first: a hidden file in their directory,
/// which later recordings read, and others of the same time. It holds a line of JSON for each change.
final class FileLedger: Sendable {
    private struct State {
        var entries: [LedgerEntry] = []
        /// The directory of the record, once it exists. It is followed where it is renamed.
        var directory: OutputDirectory?
        /// The record when it was read or written last, and its number of lines.
        var version: FileVersion?
        var lineCount = 0
        /// Changes that could not be written yet.
        var pending: [LedgerEntry] = []
        /// Files of earlier recordings that a program needs, and that nobody has taken.
        var awaited: [LedgerEntry] = []
        var lastNumber = 0
        var hasWarned = false
    }

    /// The largest number of files that a ledger has; the oldest ones are forgotten.
    static let capacity = 100_000
    /// The number of superseded lines after which the record is written again.
    private static let slack = 1_000

    private let template: String
    private let directoryPath: String
    private let name: String
    private let hasProgram: Bool
    private let warn: @Sendable (ACCAudioRecorderError) -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - destination: That of an output.
    ///   - hasProgram: Whether a program needs each complete file.
    /// - Returns: Nil for a descriptor.
    init?(
        of destination: RecordingOutput.Destination, hasProgram: Bool,
        warn: @escaping @Sendable (ACCAudioRecorderError) -> Void
    ) {
        switch destination {
        case .descriptor: return nil
        case .file(let path):
            (template, directoryPath) = (FilePath(path).lastComponent?.string ?? path, AtomicFile.directory(of: path))
        case .pattern(let pattern):
            directoryPath = pattern.directory
            let prefix = directoryPath.hasSuffix("/") ? directoryPath : directoryPath + "/"
            let path = pattern.template
            template = path.hasPrefix(prefix) ? String(path.dropFirst(prefix.count)) : path
        }
        name = ".accrec-files-\(String(fingerprintOf: [template]))"
        (self.hasProgram, self.warn) = (hasProgram, warn)
    }

    /// The number that the newest file has in its name, or a removed one had; 0 without one.
    var lastNumber: Int {
        // What goes wrong is told when a file is complete: nobody listens to a recording that has not begun.
        update(isTold: false) { _, _ in [] }
        return state.withLock { $0.lastNumber }
    }

    /// Notes a file that was created.
    func begin(_ path: String, number: Int) {
        update(isTold: false) { below, state in
            guard let own = below(path) else { return [] }
            return [LedgerEntry(created: own, number: number, at: path, isAwaited: hasProgram)].compactMap(\.self)
        }
    }

    /// Notes a file that is complete.
    ///
    /// - Parameters:
    ///   - files: The audio first, then those beside it.
    ///   - hostTime: When it was complete, in CLOCK_MONOTONIC nanoseconds.
    func complete(_ files: [CreatedFile], at hostTime: UInt64) {
        guard let audio = files.first else { return }
        update { below, state in
            guard let path = below(audio.path) else { return [] }
            let parts = files.compactMap { file in
                below(file.path).flatMap { path in Self.status(of: file.path).map { LedgerEntry.Part(path: path, $0) } }
            }
            let number = state.entries.last { $0.path == path }?.number
            return [
                LedgerEntry(
                    path: path, number: number, parts: parts, end: .init(hostTime: hostTime), isAwaited: hasProgram)
            ]
        }
    }

    /// Notes that files are gone, or no longer ours.
    func forget(_ paths: [String]) {
        update { below, state in paths.compactMap(below).map { LedgerEntry(path: $0, isGone: true) } }
    }

    /// The files that exceed a policy, with the bound that each one exceeds. They are forgotten; the caller removes them.
    ///
    /// - Parameters:
    ///   - hasCurrent: Whether there is another file besides.
    ///   - hostTime: The time in CLOCK_MONOTONIC nanoseconds.
    func takeExcess(
        of policy: RetentionPolicy, hasCurrent: Bool, at hostTime: UInt64
    ) -> [(entry: LedgerEntry, bound: RetentionPolicy.Bound)] {
        let now = LedgerEntry.Moment(hostTime: hostTime)
        var excess: [(LedgerEntry, RetentionPolicy.Bound)] = []
        update { _, state in
            let complete = state.entries.filter { !$0.parts.isEmpty }
            let bounds = policy.excess(
                of: complete.map { entry in
                    .init(
                        age: entry.end.map(now.since) ?? .zero, byteCount: entry.byteCount, isAwaited: entry.isAwaited)
                },
                hasCurrent: hasCurrent)
            excess = zip(complete, bounds).compactMap { entry, bound in bound.map { (entry, $0) } }
            return excess.map { LedgerEntry(path: $0.0.path, isGone: true) }
        }
        return excess
    }

    /// The present paths of files of earlier recordings that a program needs, as they were read since the last call.
    func takeAwaited() -> [String] {
        state.withLock { state in
            defer { state.awaited = [] }
            return state.awaited.map { place(of: $0.path, state) }
        }
    }

    /// The present path of a file.
    func path(of part: LedgerEntry.Part) -> String { state.withLock { place(of: part.path, $0) } }

    /// Notes that no program needs a file any more.
    ///
    /// - Parameter successor: What is at its path now; nil if nothing is.
    func release(_ path: String, as successor: FileVersion?) {
        update { below, state in
            guard let path = below(path), var entry = state.entries.last(where: { $0.path == path }) else { return [] }
            let status = successor == nil ? nil : Self.status(of: place(of: path, state))
            // The first of its files is the audio; what the program has done to those beside it is not known.
            entry.parts = (status.map { [LedgerEntry.Part(path: path, $0)] } ?? []) + entry.parts.dropFirst()
            (entry.isAwaited, entry.isGone) = (false, status == nil)
            return [entry]
        }
    }

    private static func status(of path: String) -> stat? {
        var status = stat()
        return lstat(path, &status) == 0 ? status : nil
    }

    /// The present path of a file below the directory.
    private func place(of path: String, _ state: State) -> String {
        state.directory?.path(of: path) ?? (directoryPath == "." ? path : "\(directoryPath)/\(path)")
    }
}

// MARK: - The record

extension FileLedger {
    /// Changes entries, and the record.
    ///
    /// - Parameters:
    ///   - isTold: Whether to warn if the record cannot be changed.
    ///   - changes: Says what to change, given the present state, and a function for the paths below the directory.
    private func update(isTold: Bool = true, _ changes: ((String) -> String?, State) -> [LedgerEntry]) {
        let failure: Errno? = state.withLock { state in
            let failure = update(&state, changes)
            guard isTold, failure != nil, !state.hasWarned else { return nil }
            state.hasWarned = true
            return failure
        }
        guard let failure else { return }
        warn(
            .outputFailed(
                .init(
                    .cannotWrite, "cannot keep the record '\(directoryPath)/\(name)' of files to remove",
                    cause: failure == .permissionDenied ? "it is not this user's" : "\(failure)",
                    remedy: "Remove files that this recording leaves yourself, once they are not needed.")))
    }

    /// - Returns: Why the record could not be changed; nil also without a directory, and so without files.
    private func update(_ state: inout State, _ changes: ((String) -> String?, State) -> [LedgerEntry]) -> Errno? {
        do throws(Errno) {
            if state.directory == nil { state.directory = try OutputDirectory(directoryPath) }
            guard let directory = state.directory else { return nil }
            let record = try SharedLines(name, in: directory)
            try refresh(&state, from: record)
            change(&state, changes)
            // They are made by now, and are written with the next ones.
            do throws(Errno) { try write(&state, to: record) } catch { return error }
            return nil
        } catch {
            change(&state, changes)
            return error == .noSuchFileOrDirectory ? nil : error
        }
    }

    private func change(_ state: inout State, _ changes: ((String) -> String?, State) -> [LedgerEntry]) {
        let directory = state.directory
        let changes = changes({ path in directory.flatMap { below(path, $0) } }, state)
        state.pending = (state.pending + changes).suffix(Self.capacity)
        LedgerEntry.apply(changes, to: &state.entries, capacity: Self.capacity)
    }

    /// The path below the directory; nil for a file elsewhere.
    private func below(_ path: String, _ directory: OutputDirectory) -> String? {
        for place in [directoryPath, directory.newPath].compactMap(\.self) {
            let prefix = place.hasSuffix("/") ? place : place + "/"
            let below = path.hasPrefix(prefix) ? String(path.dropFirst(prefix.count)) : place == "." ? path : ""
            if LedgerEntry.isBelow(below) { return below }
        }
        return nil
    }

    /// Reads the record if others have changed it.
    private func refresh(_ state: inout State, from record: borrowing SharedLines) throws(Errno) {
        guard record.version != state.version else { return }
        let lines = try record.lines()
        state.lineCount = lines.count
        // A damaged line is nothing that may be removed.
        let entries = lines.compactMap(LedgerEntry.init(line:))
        state.entries = []
        LedgerEntry.apply(entries + state.pending, to: &state.entries, capacity: Self.capacity)
        state.lastNumber = entries.compactMap(\.number).max() ?? 0
        let settled = state.entries.filter(\.parts.isEmpty).compactMap { entry -> LedgerEntry? in
            let settled = entry.settled(at: place(of: entry.path, state))
            return settled == entry ? nil : settled ?? LedgerEntry(path: entry.path, isGone: true)
        }
        LedgerEntry.apply(settled, to: &state.entries, capacity: Self.capacity)
        state.pending += settled
        if hasProgram { state.awaited = state.entries.filter { $0.isAwaited && !$0.parts.isEmpty } }
    }

    /// Writes pending changes: at the end of the record, or all of it again once it is long.
    private func write(_ state: inout State, to record: borrowing SharedLines) throws(Errno) {
        let header = "# files recorded as \(String(reflecting: template)), of which the oldest are to be removed"
        if state.lineCount + state.pending.count > 2 * state.entries.count + Self.slack {
            try record.replace(with: [header] + state.entries.map(\.line))
            // It is another file now, to be read once.
            (state.version, state.pending) = (nil, [])
            return
        }
        let added = (state.lineCount == 0 ? [header] : []) + state.pending.map(\.line)
        if !state.pending.isEmpty { try record.append(added) }
        state.lineCount += state.pending.isEmpty ? 0 : added.count
        (state.version, state.pending) = (record.version, [])
    }
}
