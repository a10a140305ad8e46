import Synchronization

/// Sends each warning of a recording once.
final class RecordingWarnings: Sendable {
    private let sent = Mutex<[RecordingWarning]>([])
    private let broadcast: RecordingBroadcast

    init(broadcast: RecordingBroadcast) {
        self.broadcast = broadcast
    }

    /// Sends a warning, unless it, or one that explains it, was sent before.
    func send(_ warning: RecordingWarning) {
        let isNew = sent.withLock { sent in
            if sent.contains(where: { $0.explains(warning) }) { return false }
            sent.append(warning)
            return true
        }
        if isNew { broadcast.events.send(.warning(warning)) }
    }
}

extension RecordingWarning {
    /// Whether the other warning adds nothing to this one.
    fileprivate func explains(_ other: RecordingWarning) -> Bool {
        switch (self, other) {
        case (.sourceMuted, .sourceMuted), (.sinkMuted, .sinkMuted), (.streamMuted, .streamMuted),
            (.silence, .silence), (.nonFiniteSamples, .nonFiniteSamples), (.sourceMuted, .silence),
            (.sinkMuted, .silence), (.streamMuted, .silence),
            (.volumeNotUnity, .volumeNotUnity), (.sinkVolumeNotUnity, .sinkVolumeNotUnity),
            (.filterSource, .filterSource):
            true
        default:
            false
        }
    }
}
