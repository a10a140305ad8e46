import CPulse

/// A stream of a call that another process has, to the server or from it.
struct CallStream: Sendable, Hashable {
    /// The roles that PulseAudio's and PipeWire's programs give to calls.
    private static let roles: Set = ["phone", "Communication"]

    let isPlayback: Bool
    /// The server's number for the stream.
    let index: UInt32

    /// Nil for a stream of no call, and for one of this process.
    init?(playback info: pa_sink_input_info, exceptOfProcess process: String) {
        self.init(info.index, isPlayback: true, PulseProperties(info.proplist), process)
    }

    /// Nil for a stream of no call, and for one of this process.
    init?(record info: pa_source_output_info, exceptOfProcess process: String) {
        self.init(info.index, isPlayback: false, PulseProperties(info.proplist), process)
    }

    private init?(_ index: UInt32, isPlayback: Bool, _ properties: PulseProperties, _ process: String) {
        guard let role = properties[PA_PROP_MEDIA_ROLE], Self.roles.contains(role),
            properties[PA_PROP_APPLICATION_PROCESS_ID] != process
        else { return nil }
        self.index = index
        self.isPlayback = isPlayback
    }
}
