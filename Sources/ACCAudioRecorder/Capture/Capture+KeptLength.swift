extension Capture {
    /// How much the server has kept, on average, of what came just before a stopped reader came back, in seconds. Blocks, for
    /// threads of ours, but not for long.
    ///
    /// PulseAudio, which drops whole blocks, goes on with the one that it captures then. PipeWire keeps most of the newest
    /// fragment, as measured.
    var keptLength: Double {
        let spec = source.sampleSpec
        let fragmentLength = Double(ring.slotBytes / spec.bytesPerFrame) / Double(spec.sampleRate)
        if source.isOnPipeWire { return 0.75 * fragmentLength }
        // Other clients of the source may be in more of a hurry, and all get its blocks.
        let blockLength = try? control.waitForLatency(ofSource: source.id)
        return min(blockLength ?? fragmentLength, fragmentLength) / 2
    }
}
