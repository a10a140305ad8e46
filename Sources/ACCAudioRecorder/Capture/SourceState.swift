import CPulse

/// Whether a source delivers anything.
public enum SourceState: String, Sendable, Hashable, CaseIterable {
    /// Somebody records from it.
    case running
    /// Nobody does.
    case idle
    /// It is at rest: because nobody records from it, or because somebody asked for it, or while another program has
    /// the device.
    case suspended

    /// Nil for a state in which a source cannot be opened.
    init?(pulse state: pa_source_state_t) {
        switch state {
        case PA_SOURCE_RUNNING: self = .running
        case PA_SOURCE_IDLE: self = .idle
        case PA_SOURCE_SUSPENDED: self = .suspended
        default: return nil
        }
    }
}
