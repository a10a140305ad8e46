import SystemPackage

/// The far end of an output: takes frames in order and makes them last. Used by one thread at a time.
protocol AudioSink: AnyObject {
    /// What it writes to, as long as it does.
    var descriptor: FileDescriptor? { get }

    /// The size of what was written until now, in bytes.
    var byteCount: Int { get }

    /// Called once, before the first frame is written.
    ///
    /// - Parameter start: When the first frame of the output was captured, which is in this sink or in one before it.
    func begin(start: WallClock)

    /// Keeps a marker that stands before this frame of the output, where there is a place for it.
    func mark(_ marker: RecordingMarker, at frame: Int)

    /// Writes whole frames of integers, left-justified in 32 bits: where the encoding is one of integers.
    func write(_ samples: UnsafeBufferPointer<Int32>) throws(ACCAudioRecorderError)

    /// Writes whole frames of floats, full scale at ±1: where the encoding is floating point.
    func write(_ samples: UnsafeBufferPointer<Float>) throws(ACCAudioRecorderError)

    /// Completes the output, as far as it could be written, and lets go of it.
    ///
    /// - Returns: What it holds.
    func finish() throws(ACCAudioRecorderError) -> SinkContent

    /// Lets go of the output and removes what it created, and only that.
    func discard()
}
