import CPulse

/// A record stream, as the server has it.
struct SourceOutput: Sendable {
    /// The server's number for the stream.
    let index: UInt32
    /// The source that it records from now.
    let sourceIndex: UInt32

    /// Nil for a stream of another name or of another process.
    init?(pulse info: pa_source_output_info, ifStream name: String, ofProcess process: String) {
        guard let stream = info.name, String(cString: stream) == name,
            let owner = pa_proplist_gets(info.proplist, PA_PROP_APPLICATION_PROCESS_ID),
            String(cString: owner) == process
        else { return nil }
        index = info.index
        sourceIndex = info.source
    }
}
