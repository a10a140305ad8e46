import Foundation
import TestSupport
import Testing

/// An answer of `accrec ctl --json`, with the documented keys.
struct ControlAnswer: Decodable {
    let version: Int
    let ok: Bool
    let message: String?
    let status: RecordingStatus?
    let report: WrittenReport?
}

/// The state of a running recording.
struct RecordingStatus: Decodable {
    let processID: Int32
    let state: String
    let waitsFor: String?
    let duration: Double
    let frame: Int
    let file: String?
    let source: String?
    let markers: Int
    let inputs: [String]?
    let take: Int?

    private enum CodingKeys: String, CodingKey {
        case state, duration, frame, file, source, markers, inputs, take
        case processID = "process_id"
        case waitsFor = "waits_for"
    }
}

extension PrivateServer {
    /// The answer to a command of `accrec ctl`.
    func ctl(_ arguments: String...) async throws -> ControlAnswer {
        let result = try await AccrecProcess.run(["ctl", "--json"] + arguments, on: self)
        #expect(result.standardError.isEmpty, "\(result.standardError)")
        return try JSONDecoder().decode(ControlAnswer.self, from: result.standardOutput)
    }

    /// The state of the only recording that `accrec ctl` lists; nil before there is one.
    func recordingStatus() async throws -> RecordingStatus? {
        let list = try await AccrecProcess.run(["ctl", "--json", "list"], on: self).text
        return try list.split(separator: "\n").first.map {
            try JSONDecoder().decode(RecordingStatus.self, from: Data($0.utf8))
        }
    }
}
