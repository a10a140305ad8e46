import FoundationEssentials

/// What happened to a recording, in order. The newest thousand wait for a subscriber that does not read.
public enum RecordingEvent: Sendable, Hashable {
    /// Capture began, from this source.
    case started(AudioSource)
    /// An output begins in a new file, at this path.
    case fileCreated(path: String)
    /// The first frame has come; it was captured at this time, in CLOCK_MONOTONIC nanoseconds.
    case firstFrame(hostTime: UInt64)
    /// The recording was paused, after so many frames.
    case paused(frame: Int)
    /// It goes on, perhaps in another format of the source.
    case resumed(AudioSource)
    /// It was interrupted, and goes on when it can: `resumed` follows, or the end.
    case interrupted(RecordingInterruption)
    /// Its device has gone, and it goes on with another source; `resumed` follows.
    case fellBack(from: AudioSource, to: AudioSource)
    /// Its device has gone, and there is no other source to go on with; it waits.
    case switchFailed(ACCAudioRecorderError)
    /// It broke off by itself.
    case brokeOff(ACCAudioRecorderError)
    /// The device of the recording's source is gone.
    case deviceLost(AudioSource)
    /// It is back, under its name.
    case deviceReturned(AudioSource)
    /// The sound of its source comes in by another port now, such as another socket of the same sound card.
    case portChanged(AudioSource)
    /// Frames were lost.
    case gap(RecordingGap)
    /// A marker was set.
    case marker(RecordingMarker)
    /// An output goes on in a new file, at this path; the one before is complete.
    case newFile(path: String, after: OutputReport)
    /// An output ended before the recording does, because it cannot be written any further; it has what was written
    /// until then, and the others go on.
    case outputEnded(RecordingOutput, ACCAudioRecorderError)
    /// A file of the recording was removed, since no more than some are kept.
    case fileRemoved(path: String)
    /// Something is probably not as it should be.
    case warning(RecordingWarning)
    /// The time limit was reached.
    case limitReached
    /// The recording has ended; the last event.
    case finished(RecordingReport)
}
