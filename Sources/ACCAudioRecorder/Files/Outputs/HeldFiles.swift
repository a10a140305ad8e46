import Synchronization

/// The complete files of a recording that a program still needs, as `accrec --exec` does, and what such programs have made
/// of them. They are not removed to keep to a maximum number of files.
package final class HeldFiles: Sendable {
    private struct State {
        var held: Set<FileVersion> = []
        var successors: [FileVersion: FileVersion] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    /// Holds a file from its completion on.
    func hold(_ file: FileVersion) {
        state.withLock { _ = $0.held.insert(file) }
    }

    /// Lets go of a file.
    ///
    /// - Parameter successor: What is at its path now; nil if nothing is.
    package func release(_ file: FileVersion, as successor: FileVersion?) {
        state.withLock { state in
            state.held.remove(file)
            if successor != file { state.successors[file] = successor }
        }
    }

    func isHeld(_ file: FileVersion) -> Bool { state.withLock { $0.held.contains(file) } }

    /// What a program has made of a file, if it changed it. The file is not asked for again.
    func takeSuccessor(of file: FileVersion) -> FileVersion? {
        state.withLock { $0.successors.removeValue(forKey: file) }
    }
}

extension HeldFiles: Hashable {
    package static func == (one: HeldFiles, other: HeldFiles) -> Bool { one === other }

    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
