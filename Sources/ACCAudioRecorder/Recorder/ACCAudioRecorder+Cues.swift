// Markers and new files, set while a recording continues.

extension ACCAudioRecorder {
    /// Sets a marker at the frame being captured now; in a pause, after the last frame. Does nothing without a
    /// recording.
    ///
    /// A marker is sent as an event and written at once to a sidecar file beside each output file, which Audacity can
    /// import (`take.wav.labels.txt`) and whose first line says of which recording it is. When a file is completed, WAV also
    /// gets it as a cue point, and FLAC, Ogg and MP3 as a chapter instead of the sidecar, for which the file is copied.
    ///
    /// - Parameter label: The marker's text; nil for its number.
    public func mark(_ label: String? = nil) async {
        await enter()
        defer { gate.leave() }
        session?.mark(label)
    }

    /// Completes the recording's files and continues in new ones, from the frame being captured now; in a pause, from
    /// the next frame. No frame is lost or duplicated, and all outputs are cut at the same instant. Does nothing
    /// without a recording, or to an output that is a file descriptor.
    ///
    /// The file after `take.wav` is `take-002.wav`, or the next number that is free. Each new file is sent as an event.
    /// If it cannot be created, the current file continues, with a warning.
    public func startNewFiles() async {
        await enter()
        defer { gate.leave() }
        session?.startNewFiles()
    }
}
