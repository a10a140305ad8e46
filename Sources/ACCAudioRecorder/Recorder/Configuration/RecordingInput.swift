/// What a recording captures.
public enum RecordingInput: Sendable, Hashable {
    /// A source, as ``ACCAudioRecorder/ACCAudioRecorder/Configuration/sourceName`` specifies it; nil for the source that
    /// `PULSE_SOURCE` specifies, or else the server's default.
    case source(String?)
    /// What one application plays: all its streams, mixed, as they come and go. It stays audible.
    ///
    /// It is specified by its process ID, its name or that of its executable file, a part of either, or a part of the title
    /// of what it plays, which then is all that is captured; case does not matter. `firefox:Title` means what
    /// the application `firefox` plays under that title. The recording keeps to the program that it began with, also when
    /// that is started again.
    ///
    /// An application that plays nothing is waited for: the recording begins with its first sound, and pauses while it
    /// plays nothing, for ``InterruptionPolicy/timeout`` at most.
    case application(String)
}

extension RecordingInput {
    /// The application; nil for a source.
    var application: String? { if case .application(let name) = self { name } else { nil } }
}
