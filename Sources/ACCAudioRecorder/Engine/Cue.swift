/// Something that happens at a place of a recording, in all its lanes.
struct Cue {
    enum Kind {
        /// A marker stands there.
        case marker(RecordingMarker)
        /// New files begin there, with a frame that was captured at this time, in CLOCK_MONOTONIC nanoseconds. What
        /// the server has done to samples is in those before.
        case newFile(hostTime: UInt64, serverAlterations: [Alteration])
    }

    let kind: Kind
    /// The place in seconds of recording.
    let seconds: Double

    var isMarker: Bool {
        if case .marker = kind { true } else { false }
    }
}
