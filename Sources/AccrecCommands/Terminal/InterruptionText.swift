import ACCAudioRecorder

/// What a take is interrupted by, as it is told while that lasts.
struct InterruptionText {
    let interruption: RecordingInterruption

    var text: String {
        switch interruption {
        case .deviceLost: "the device is gone"
        case .streamMoved: "the server has moved the stream to another source"
        case .streamKilled: "the stream has been ended at the server"
        case .serverLost: "the sound server is gone"
        case .suspended: "the source is suspended"
        case .call: "another program has a call"
        case .stalled: "the source delivers nothing"
        }
    }
}
