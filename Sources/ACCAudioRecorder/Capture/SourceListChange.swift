/// One difference between two lists of sources.
public enum SourceListChange: Sendable, Hashable {
    /// A source is there that was not. A device that is plugged in again is a new source of the same name.
    case added(AudioSource)
    /// A source is gone; as it was last.
    case removed(AudioSource)
    /// A source is not as it was.
    case changed(AudioSource, from: AudioSource)
    /// Another source is the server's default; nil where there is none now.
    case defaultChanged(AudioSource?)
    /// A recording would take another source, or take it for another reason, or fail.
    case choiceChanged(Result<SourceChoice, ACCAudioRecorderError>)
}
