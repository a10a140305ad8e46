import ACCAudioRecorder

/// What a take answers: a line of JSON.
struct ControlAnswer: Encodable, Sendable {
    /// Incremented when a key changes its meaning or is removed.
    private static let version = 1

    private let version = ControlAnswer.version
    /// Whether the request was carried out.
    let ok: Bool
    /// Why not.
    var message: String?
    /// The state of the take.
    var status: ControlStatus?
    /// The report of the file that `save` has written.
    var saved: OutputReport?
    /// The report of a take that has ended.
    var report: ReportRecord?

    private enum CodingKeys: CodingKey {
        case version, ok, message, status, saved, report
    }

    static func done(_ status: ControlStatus? = nil) -> ControlAnswer { ControlAnswer(ok: true, status: status) }

    static func refused(_ message: String) -> ControlAnswer { ControlAnswer(ok: false, message: message) }
}

/// The state of a take as `accrec ctl status` shows it.
struct ControlStatus: Codable, Sendable {
    let processId: Int32
    /// `scheduled`, `armed`, `recording`, `paused`, `waiting`, `finishing`.
    let state: String
    /// What it waits for, since when and until when.
    let waitsFor: String?
    /// The length in seconds, pauses excluded, and in frames.
    let duration: Double
    let frame: Int
    /// The path of the first output's current file.
    let file: String?
    let source: String
    let gaps: Int
    let secondsLost: Double
    let markers: Int
}
