/// What `accrec ctl` asks of a take: a line of JSON. The schema is `schemas/control-1.json`.
struct ControlRequest: Codable, Sendable, Hashable {
    /// What to do.
    enum Command: String, Codable, Sendable, CaseIterable {
        case status, start, pause, resume, toggle, mark, split, stop, discard, save, follow, tap
    }

    var command: Command
    /// The label of a marker; nil for its number.
    var label: String?
    /// The absolute path of the file for `save`; nil for one beside the take's.
    var file: String?
    /// Whether `discard` deletes the complete files as well; nil for the current ones alone.
    var all: Bool?
    /// The sample rate of `tap` in Hz; nil for the recording's.
    var rate: Int?
    /// The number of channels of `tap`; nil for the recording's.
    var channels: Int?
    /// The encoding of `tap`: `s16` or `f32`, little-endian; nil for `s16`.
    var encoding: TapEncoding?

    enum TapEncoding: String, Codable, Sendable, CaseIterable {
        case s16, f32
    }
}
