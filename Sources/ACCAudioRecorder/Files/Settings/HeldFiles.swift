import Synchronization

/// The complete files of a recording that a program still needs, as `accrec --exec` does, and what such programs have made
/// of them. Retention leaves them (``RetentionPolicy``).
package final class HeldFiles: Sendable {
    /// Receives the file that now has the path of the one let go of; nil without one.
    typealias Follower = @Sendable (FileVersion?) -> Void

    private struct State {
        var held: [FileVersion: Follower?] = [:]
        var successors: [FileVersion: FileVersion] = [:]
        /// What has become of files of earlier recordings that were let go of before anybody asked.
        var released: Set<FileVersion> = []
    }

    private let state = Mutex(State())

    package init() {}

    /// Holds a file of an earlier recording.
    package func hold(_ file: FileVersion) {
        state.withLock { $0.held[file] = .some(nil) }
    }

    /// Holds a file from its completion on.
    func hold(_ file: FileVersion, until follower: @escaping Follower) {
        state.withLock { $0.held[file] = follower }
    }

    /// Follows a file of an earlier recording: tells at once if it was let go of already, and never if nobody held it.
    func follow(_ file: FileVersion, _ follower: @escaping Follower) {
        let isReleased = state.withLock { state in
            if state.held.keys.contains(file) { state.held[file] = follower }
            return state.released.remove(file) != nil
        }
        if isReleased { follower(file) }
    }

    /// Goes on holding a file of an earlier recording that was changed, as a repair does.
    package func replace(_ file: FileVersion, by changed: FileVersion) {
        state.withLock { state in
            guard file != changed, let follower = state.held.removeValue(forKey: file) else { return }
            state.held[changed] = .some(follower)
        }
    }

    /// Lets go of a file.
    ///
    /// - Parameter successor: What is at its path now; nil if nothing is.
    package func release(_ file: FileVersion, as successor: FileVersion?) {
        let follower: Follower? = state.withLock { state in
            guard let follower = state.held.removeValue(forKey: file) else { return nil }
            if follower == nil, let successor { state.released.insert(successor) }
            if successor != file { state.successors[file] = successor }
            return follower
        }
        follower?(successor)
    }

    /// What a program has made of a file, if it changed it. The file is not asked for again.
    func takeSuccessor(of file: FileVersion) -> FileVersion? {
        state.withLock { $0.successors.removeValue(forKey: file) }
    }
}

extension HeldFiles: Hashable {
    package static func == (one: HeldFiles, other: HeldFiles) -> Bool { one === other }

    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
