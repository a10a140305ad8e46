import ACCAudioRecorder

/// A report as `accrec` writes it: the library's, and the exit status.
struct WrittenReport: Decodable, Equatable {
    let exitStatus: Int32
    let recording: RecordingReport

    private enum Key: String, CodingKey {
        case exitStatus = "exit_status"
    }

    init(from decoder: any Decoder) throws {
        exitStatus = try decoder.container(keyedBy: Key.self).decode(Int32.self, forKey: .exitStatus)
        recording = try RecordingReport(from: decoder)
    }
}
