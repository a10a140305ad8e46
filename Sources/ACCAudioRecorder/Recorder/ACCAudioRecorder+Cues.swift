// What is done to a recording in passing: markers and new files.

extension ACCAudioRecorder {
    /// Sets a marker at the frame that is captured now; in a pause, after the last frame. Does nothing where there is
    /// no recording.
    ///
    /// It is told as an event, written at once to a file beside each output that is a file (`take.labels.txt`, which
    /// Audacity imports), and into WAV files at their end.
    ///
    /// - Parameter label: What it says; nil for its number.
    public func mark(_ label: String? = nil) async {
        await enter()
        defer { gate.leave() }
        session?.mark(label)
    }

    /// Completes the files of the recording and goes on in new ones, from the frame that is captured now; in a pause,
    /// from the next frame. No frame is lost or doubled, and all outputs are cut at the same instant. Does nothing
    /// where there is no recording, and to an output that is a descriptor.
    ///
    /// The next file of `take.wav` is `take-002.wav`, or the first number after that where no file is. Each is told as
    /// an event. Where it cannot be created the present file goes on, with a warning.
    public func startNewFiles() async {
        await enter()
        defer { gate.leave() }
        session?.startNewFiles()
    }
}
