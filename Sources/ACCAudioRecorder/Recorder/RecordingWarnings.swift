import Synchronization

/// The warnings of one recording, each told once.
final class RecordingWarnings: Sendable {
    private let told = Mutex<[RecordingWarning]>([])
    private let broadcast: RecordingBroadcast

    init(broadcast: RecordingBroadcast) {
        self.broadcast = broadcast
    }

    /// Tells the subscribers, unless they know.
    func tell(_ warning: RecordingWarning) {
        let isNew = told.withLock { told in
            if told.contains(where: { $0.explains(warning) }) { return false }
            told.append(warning)
            return true
        }
        if isNew { broadcast.events.send(.warning(warning)) }
    }
}

extension RecordingWarning {
    /// Whether whoever knows this needs not be told that.
    fileprivate func explains(_ other: RecordingWarning) -> Bool {
        switch (self, other) {
        case (.sourceMuted, .sourceMuted), (.sinkMuted, .sinkMuted), (.streamMuted, .streamMuted),
            (.silence, .silence), (.sourceMuted, .silence), (.sinkMuted, .silence), (.streamMuted, .silence),
            (.volumeNotUnity, .volumeNotUnity), (.sinkVolumeNotUnity, .sinkVolumeNotUnity),
            (.filterSource, .filterSource):
            true
        default:
            false
        }
    }
}
