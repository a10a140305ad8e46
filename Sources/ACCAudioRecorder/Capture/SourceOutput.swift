import CPulse

/// A record stream, as the server has it.
struct SourceOutput: Sendable {
    /// The server's number for the stream.
    let index: UInt32
    /// The source that it records from now; `PA_INVALID_INDEX` while PipeWire has not connected it to one.
    let sourceIndex: UInt32
    /// Whether the server replaces its sound by silence.
    let isMuted: Bool
    /// The volume that the server gives it; nil where it has none.
    let volume: SourceVolume?
    /// What the server resamples it with; nil where it does not.
    let resampleMethod: String?

    /// Nil for a stream of another name or of another process.
    init?(pulse info: pa_source_output_info, ifStream name: String, ofProcess process: String) {
        let properties = PulseProperties(info.proplist)
        guard let stream = info.name, String(cString: stream) == name,
            properties[PA_PROP_APPLICATION_PROCESS_ID] == process
        else { return nil }
        index = info.index
        sourceIndex = info.source
        isMuted = info.mute != 0
        volume = info.has_volume != 0 ? SourceVolume(pulse: info.volume) : nil
        // Both servers name methods that change nothing.
        let method = info.resample_method.map { String(cString: $0) }
        resampleMethod = method.flatMap { ["", "n/a", "copy", "trivial", "PipeWire"].contains($0) ? nil : $0 }
    }
}
