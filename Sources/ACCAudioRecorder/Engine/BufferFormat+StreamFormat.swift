extension BufferFormat {
    /// The stream format that a recording of this format has for its subscribers.
    ///
    /// - Parameters:
    ///   - recording: The recording's own format.
    ///   - captured: The format before conversion, whose channels keep their positions if their number does not change.
    func streamFormat(of recording: StreamFormat, from captured: StreamFormat) -> StreamFormat {
        let count = channelCount ?? recording.channelCount
        return StreamFormat(
            sampleRate: sampleRate ?? recording.sampleRate,
            channelMap: count == recording.channelCount
                ? recording.channelMap
                : count == captured.channelCount ? captured.channelMap : .standard(channelCount: count))
    }
}
