import ACCAudioRecorder

/// What `accrec ctl` asks of a recording: a line of JSON. The schema is `schemas/control-1.json`.
struct ControlRequest: Codable, Sendable, Hashable {
    /// What to do.
    enum Command: String, Codable, Sendable, CaseIterable {
        case status, start
        case toggleTake = "toggle-take"
        case pause, resume, toggle, mark, split, stop, discard, save, follow, tap
    }

    var command: Command
    /// The label of a marker; nil for its number.
    var label: String?
    /// The absolute path of the file for `save`; nil for one beside the recording's.
    var file: String?
    /// Whether `discard` deletes the complete files as well, or `stop` ends a recorder that is armed again after each take;
    /// nil for the current files, or the take, alone.
    var all: Bool?
    /// Whether `pause` continues a recording that is paused.
    var toggles: Bool?
    /// The sample rate of `tap` in Hz; nil for the recording's.
    var rate: Int?
    /// The number of channels of `tap`; nil for the recording's.
    var channels: Int?
    /// The input whose channels `tap` sends, where the recording has several as tracks; nil for all channels.
    var input: String?
    /// The encoding of `tap`: `s16` or `f32`, little-endian; nil for `s16`.
    var encoding: TapEncoding?

    enum TapEncoding: String, Codable, Sendable, CaseIterable {
        case s16, f32
    }
}

/// What a recording answers: a line of JSON.
struct ControlAnswer: Encodable, Sendable {
    /// Incremented when a key changes its meaning or is removed.
    private static let version = 1

    private let version = ControlAnswer.version
    /// Whether the request was carried out.
    let ok: Bool
    /// Why not.
    var message: String?
    /// The state of the recording.
    var status: Status?
    /// The report of the file that `save` has written.
    var saved: OutputReport?
    /// The report of a recording that has ended.
    var report: ReportRecord?

    private enum CodingKeys: CodingKey {
        case version, ok, message, status, saved, report
    }

    static func done(_ status: Status? = nil) -> ControlAnswer { ControlAnswer(ok: true, status: status) }

    static func refused(_ message: String) -> ControlAnswer { ControlAnswer(ok: false, message: message) }
}

extension ControlAnswer {
    /// What a client reads of an answer. It ignores the rest, which another version of the program may have written.
    struct Received: Decodable {
        struct File: Decodable {
            let path: String?
            let seconds: Double
        }

        struct Report: Decodable {
            let exitStatus: Int32
            let outputs: [File]
        }

        let ok: Bool
        let message: String?
        let status: Status?
        let saved: File?
        let report: Report?

        /// The files of a recording that has ended.
        var keptFiles: [String] { report?.outputs.compactMap(\.path) ?? [] }
    }

    /// The state of a recording as `accrec ctl status` shows it.
    struct Status: Codable, Sendable {
        let processId: Int32
        /// `scheduled`, `armed`, `recording`, `paused`, `waiting`, `finishing`.
        let state: String
        /// What it waits for, since when and until when.
        let waitsFor: String?
        /// The length in seconds, pauses excluded, and in frames.
        let duration: Double
        let frame: Int
        /// The path of the first output's current file, or before the recording begins of the one that it will have, if that is
        /// known.
        let file: String?
        /// Nil while it is not known.
        let source: String?
        /// The names of the inputs; nil for one.
        let inputs: [String]?
        let gaps: Int
        let secondsLost: Double
        let markers: Int
        /// The programs that are run for complete files; nil without `--exec`.
        let exec: ExecQueue.Status?
        /// The number of the take, or of the last one, of a recorder that is armed again after each; nil for another.
        let take: Int?
    }
}
