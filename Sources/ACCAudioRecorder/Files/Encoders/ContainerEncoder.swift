import SystemPackage

/// Writes the frames of an output to a file or pipe, in order. Used by one thread at a time.
protocol ContainerEncoder: AnyObject {
    /// The descriptor that it writes to; nil when closed.
    var descriptor: FileDescriptor? { get }

    /// The directory of its file; nil for a pipe.
    var directory: OutputDirectory? { get }

    /// The current path of its file; nil if that cannot be found, and for a pipe.
    var path: String? { get }

    /// The number of bytes written so far.
    var byteCount: Int { get }

    /// The number of frames known to be in the file; nil if libsndfile does not say how many it holds back.
    var encodedFrameCount: Int? { get }

    /// Called once, before the first frame is written.
    ///
    /// - Parameters:
    ///   - start: When the first frame of the output was captured, which may be in an earlier file.
    ///   - ownStart: When the first frame of its file was captured: pauses lie between the two.
    func begin(start: WallClock, ownStart: WallClock)

    /// Called before the end if the first frame of the output, which is in its file, was captured at another time than the
    /// given one.
    func correct(start: WallClock)

    /// Keeps a marker before this frame of the output, if the container can hold it.
    func mark(_ label: String, at frame: Int)

    /// Writes frames, in the channel order of the file.
    func write(_ frames: EncodedFrames) throws(ACCAudioRecorderError)

    /// Writes the first of these frames without waiting for a reader: as many as a pipe takes at once, none of them to anything else.
    ///
    /// - Returns: The number of frames written. The others are still to be written.
    func writeAtOnce(_ frames: EncodedFrames) -> Int

    /// Completes the output, as far as it could be written, and closes it.
    ///
    /// - Parameters:
    ///   - isWhole: Whether its file may replace another. An incomplete one gets another name beside that.
    ///   - isLate: Asked while something takes long that the file need not have: whether the output has to go on.
    /// - Returns: What it contains.
    func finish(isWhole: Bool, isLate: () -> Bool) throws(ACCAudioRecorderError) -> EncodedContent

    /// Closes the output and removes what it created, and only that.
    func discard()
}

extension ContainerEncoder {
    /// What was written of the start stays.
    func correct(start: WallClock) {}

    func writeAtOnce(_ frames: EncodedFrames) -> Int { 0 }
}

/// The contents of a completed output.
struct EncodedContent {
    /// The size in bytes.
    let byteCount: Int
    /// The number of whole frames, if a failed write left fewer than it was given; otherwise nil.
    var frameCount: Int?
    /// Its file; nil for a pipe.
    var file: CreatedFile?
    /// Whether the file has another name because it must not replace an older one, or could not for the system's error.
    var isBesideOlder = false
    var obstacle: Errno?
    /// Whether the file has its markers as chapters.
    var hasChapters = false

    init(byteCount: Int, frameCount: Int? = nil) {
        self.byteCount = byteCount
        self.frameCount = frameCount
    }

    init(_ completed: AtomicFile.Completed, frameCount: Int? = nil, hasChapters: Bool = false) {
        self.init(byteCount: completed.byteCount, frameCount: frameCount)
        (file, isBesideOlder, obstacle) = (completed.file, completed.isBesideOlder, completed.obstacle)
        self.hasChapters = hasChapters
    }
}
