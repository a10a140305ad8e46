import FoundationEssentials
import SyntheticRecordings

@testable import ACCAudioRecorder

/// What `WakeUpBatching` saves: the CPU time of a recording in real time, with the engine woken for each fragment and as it is.
enum WakeUpBenchmark {
    /// The slots of the ring, which bound a batch.
    private static let subjects = [("woken for each fragment", 7), ("woken for each batch", 200)]
    private static let seconds = 5.0

    static func run(turns: Int) async throws -> [Figure] {
        let path = FileManager.default.temporaryDirectory.appending(path: "accrec-bench.\(UUID().uuidString).wav").path
        var rates = subjects.map { _ in [Double]() }
        for _ in 0..<turns {
            for (index, subject) in subjects.enumerated() {
                rates[index].append(try await rate(slotCount: subject.1, path: path))
            }
        }
        return zip(subjects, rates).map {
            Figure("a second of WAV in real time, without a server", $0.0, unit: "ms", values: $1)
        }
    }

    /// Milliseconds of CPU time for each second, of all threads.
    private static func rate(slotCount: Int, path: String) async throws -> Double {
        defer { try? FileManager.default.removeItem(atPath: path) }
        let prepared = try SyntheticRecording(
            sampleRate: 48_000, channelCount: 2, seconds: seconds,
            to: [RecordingOutput(path: path, syncInterval: .zero)]
        ).prepareLive(slotCount: slotCount)
        let start = EngineBenchmark.cpuTime()
        try prepared.record()
        _ = try await prepared.finish()
        return (EngineBenchmark.cpuTime() - start) * 1e3 / seconds
    }
}
