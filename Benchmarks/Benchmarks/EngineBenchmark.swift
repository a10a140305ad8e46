import FoundationEssentials
import Glibc
import SyntheticRecordings

@testable import ACCAudioRecorder

/// Recordings of a synthetic source, fed without waiting: how many times as fast as real time, by the CPU time of all threads.
enum EngineBenchmark {
    private struct Recording {
        let name: String
        var container = Container.wav
        var sampleRate = 48_000
        var channelCount = 2
        /// Another rate for the file.
        var fileRate: Int?
    }

    private static var recordings: [Recording] {
        let channels = [1, 2, 8, 16, 32].map { Recording(name: "WAV, 48 kHz, \($0) ch", channelCount: $0) }
        let rates = [44_100, 96_000, 192_000].map { rate in
            Recording(name: "WAV, \(rate == 44_100 ? "44.1" : "\(rate / 1_000)") kHz, 2 ch", sampleRate: rate)
        }
        let containers = Container.allCases.filter { $0 != .wav }.map {
            Recording(name: "\($0.rawValue), 48 kHz, 2 ch", container: $0)
        }
        return channels + rates + containers + [Recording(name: "WAV, 48 to 16 kHz, 2 ch", fileRate: 16_000)]
    }

    static func run(turns: Int) async throws -> [Figure] {
        let directory = FileManager.default.temporaryDirectory.appending(path: "accrec-bench.\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: directory) }
        var speeds = recordings.map { _ in [Double]() }
        for _ in 0..<turns {
            for (index, recording) in recordings.enumerated() {
                speeds[index].append(try await speed(of: recording, in: directory))
            }
        }
        return zip(recordings, speeds).map {
            Figure("fed without waiting, on one core", $0.name, unit: "× real time", values: $1)
        }
    }

    private static func speed(of recording: Recording, in directory: URL) async throws -> Double {
        let path = directory.appending(path: "take.\(recording.container.fileExtensions[0])").path
        defer { unlink(path) }
        let output = try RecordingOutput(
            path: path, container: recording.container, sampleRate: recording.fileRate.map(Double.init),
            syncInterval: .zero
        )
        // No more than an output may be behind.
        let seconds = min(50, Double(200 << 20) / Double(recording.sampleRate * recording.channelCount * 4))
        let prepared = try SyntheticRecording(
            sampleRate: recording.sampleRate, channelCount: recording.channelCount, seconds: seconds.rounded(.down),
            to: [output]
        ).prepare()
        let start = cpuTime()
        try prepared.record()
        let frames = try await prepared.finish()
        return Double(frames) / Double(recording.sampleRate) / (cpuTime() - start)
    }

    /// Seconds of CPU time that all threads of this process have taken.
    static func cpuTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }
}
