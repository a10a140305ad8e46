import ACCAudioRecorder
import Foundation
import TestSupport

/// A line of a batch's results file.
struct BatchResult: Decodable {
    let number: Int
    let outputs: [String]
    let status: String
    let attempts: Int
    let message: String?
    let report: RecordingReport?
    let checks: [Check]?

    /// What the check of a file found.
    struct Check: Decodable {
        let findings: [Finding]

        struct Finding: Decodable {
            let kind: String
        }
    }

    /// The lines of a file, after validating it against its schema.
    static func all(_ name: String = "m.results.jsonl", on server: PrivateServer) async throws -> [BatchResult] {
        try await JSONSchema.expect(server.file(name), toFit: "batch-1")
        return try server.text(name).split(separator: "\n").map {
            try JSONDecoder().decode(BatchResult.self, from: Data($0.utf8))
        }
    }
}
