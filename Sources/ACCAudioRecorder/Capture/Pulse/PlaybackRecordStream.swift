/// The record stream of a stream that an application plays, which is opened again when the server has ended it.
///
/// PipeWire delivers nothing of a stream while a fragment of another one waits to be sent over the same connection. Where each of
/// its cycles completes a fragment, the other streams would be delivered seconds later, so each stream but the first has a
/// connection of its own there, if there can be one.
///
/// Everything is used only under the main loop's lock, which its thread holds when it calls back. The callbacks do not retain the
/// stream, which must be detached before its last reference ends.
final class PlaybackRecordStream {
    private let playback: ApplicationStream
    private let source: AudioSource
    private let fragmentBytes: Int
    private let settings: CaptureSettings
    private let group: PlaybackGroup
    private let connection: PulseConnection
    /// Nil if it has ended, or its connection is not there yet.
    private var stream: PulseRecordStream?
    /// The connection of the stream if it has one of its own; closed after the stream.
    private var context: PulseContext?
    /// Whether that is the one of the group's connection.
    private var usesSharedConnection = false

    /// - Parameters:
    ///   - playback: The stream that is played.
    ///   - source: The format to record in, and the server.
    ///   - fragmentBytes: The number of bytes that the server collects before it delivers them.
    init(
        of playback: ApplicationStream, as source: AudioSource, fragmentBytes: Int, _ settings: CaptureSettings,
        _ group: PlaybackGroup, on connection: PulseConnection
    ) {
        self.playback = playback
        self.source = source
        self.fragmentBytes = fragmentBytes
        self.settings = settings
        self.group = group
        self.connection = connection
    }

    /// Whether there is no stream, and no connection for one is being made.
    var isDetached: Bool { stream == nil && context == nil }

    var index: UInt32? { stream?.index }
    var isSuspended: Bool { stream?.isSuspended ?? false }
    var isQueueFull: Bool { stream?.isQueueFull ?? false }
    var queuedBytes: Int { stream?.queuedBytes ?? 0 }
    /// How far the sink had rendered ahead when the stream was opened, in seconds; PipeWire renders nothing ahead.
    var leadAtOpening: Double { source.isOnPipeWire ? 0 : stream?.leadAtOpening ?? 0 }

    /// Begins to open the stream.
    ///
    /// - Parameter onEvent: Called on the main loop's thread, until the stream is detached.
    func attach(_ onEvent: @escaping (PulseRecordStream.Event) -> Void) {
        if source.isOnPipeWire, !usesSharedConnection { usesSharedConnection = group.claimConnection() }
        if source.isOnPipeWire, !usesSharedConnection {
            context = try? PulseContext(to: connection.serverName, on: connection.mainLoop) { [unowned self] in
                open(through: $0.isReady ? $0 : nil, onEvent)
            }
        }
        if context == nil { open(onEvent) }
    }

    /// If this fails, the next change at the server leads to another attempt: the playback stream has probably moved or
    /// ended.
    private func open(
        through context: PulseContext? = nil, _ onEvent: @escaping (PulseRecordStream.Event) -> Void
    ) {
        stream = try? PulseRecordStream(
            of: .playback(playback.index), as: source, fragmentBytes: fragmentBytes,
            properties: settings.streamProperties, on: connection, through: context,
            asksForTiming: settings.asksForTiming, onEvent: onEvent)
        if stream == nil || context == nil { self.context = nil }
        if stream == nil { releaseConnection() }
    }

    func detach() {
        stream?.close()
        (stream, context) = (nil, nil)
        releaseConnection()
    }

    private func releaseConnection() {
        if usesSharedConnection { group.releaseConnection() }
        usesSharedConnection = false
    }
}

// MARK: - What arrives

extension PlaybackRecordStream {
    /// The next block; nil if nothing has arrived.
    func nextBlock() -> PulseRecordStream.Block? {
        guard let block = stream?.nextBlock() else { return nil }
        let stamp = corrected(block.stamp, byteCount: block.bytes?.count ?? block.holeBytes)
        return PulseRecordStream.Block(bytes: block.bytes, holeBytes: block.holeBytes, stamp: stamp)
    }

    /// Ends the block.
    func dropBlock() { stream?.dropBlock() }

    /// Asks the server where the pause begins that it has just announced.
    func queryPausePosition() { stream?.queryPausePosition() }
    func cancelPauseQuery() { stream?.cancelPauseQuery() }

    /// How many of the next bytes were captured before the first pause within them; nil if they have none.
    func nextPause(within byteCount: Int) -> Int? { stream?.nextPause(within: byteCount) }

    /// The stamp with a plausible time. What PipeWire states of a stream that delivers again is as old as its pause, and takes a
    /// second to recover; what arrives was played in the cycle that is known.
    private func corrected(_ stamp: FragmentStamp, byteCount: Int) -> FragmentStamp {
        guard source.isOnPipeWire else { return stamp }
        let length = source.sampleSpec.nanoseconds(byteCount / source.sampleSpec.bytesPerFrame)
        var stamp = stamp
        stamp.hostTime = stamp.arrivalTime - min(length, stamp.arrivalTime)
        return stamp
    }
}
