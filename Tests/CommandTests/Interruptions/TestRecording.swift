import Foundation
import TestSupport
import Testing

/// A take in a test: a 48 kHz stereo s16 WAV file in the server's directory.
struct TestRecording {
    let url: URL
    private let kind: ServerKind

    init(on server: PrivateServer, _ name: String = "take.wav") {
        url = server.directory.appending(path: name)
        kind = server.kind
    }

    /// The capture API to test; `ACCREC_CAPTURE_API=simple` selects the simple one.
    private static let captureAPI = ProcessInfo.processInfo.environment["ACCREC_CAPTURE_API"]

    /// The arguments to record it.
    ///
    /// - Parameters:
    ///   - source: Nil for the default.
    ///   - rate: The sample rate of the file.
    ///   - more: Further options.
    func record(from source: String? = "near", rate: String = "48000", with more: [String] = []) -> [String] {
        ["record", "-o", url.path, "-r", rate, "-c", "2", "--encoding", "s16"] + (source.map { ["-d", $0] } ?? [])
            + more
            + (Self.captureAPI.map { ["--capture-api", $0] } ?? [])
    }

    /// The length of the file so far in seconds; 0 if it does not exist.
    var seconds: Double {
        let size = try? FileManager.default.attributesOfItem(atPath: url.path)[.size] as? Int
        return Double(size ?? 0) / 192_000
    }

    /// Waits until the file is this long, in seconds.
    func wait(for seconds: Double, _ accrec: ChildProcess) async throws {
        try await eventually("\(seconds) s in \(url.lastPathComponent): \(accrec.standardError)", within: 20) {
            self.seconds > seconds
        }
    }

    /// Waits until the file is longer by this many seconds.
    func wait(forAnother seconds: Double, _ accrec: ChildProcess) async throws {
        try await wait(for: self.seconds + seconds, accrec)
    }

    /// Records for this many seconds more, and ends the take with SIGINT.
    @discardableResult
    func finish(_ accrec: ChildProcess, after seconds: Double) async throws -> ProcessResult {
        try await wait(forAnother: seconds, accrec)
        accrec.signal(SIGINT)
        return try await accrec.wait()
    }

    /// The numbers of the counter, and the frames where it does not increase by one. Fails for foreign frames and for
    /// anything that is not a counter.
    ///
    /// - Parameter length: The number of frames that the counter has.
    func counter(of length: Int = Rooms.counterLength) throws -> (numbers: [UInt32], breaks: [Int]) {
        let numbers = Signal.numbers(inCounter: try PCMFile(wav: url).int16, channels: 2)
        #expect(!numbers.contains(Rooms.foreign))
        #expect(numbers.allSatisfy { $0 <= length })
        let breaks = numbers.indices.dropFirst().filter {
            numbers[$0] != numbers[$0 - 1] &+ 1 && !(numbers[$0] == 0 && numbers[$0 - 1] == 0)
        }
        return (numbers, breaks)
    }

    /// The places at which the counter breaks, silence left out: a player that is late leaves silence between two frames,
    /// but neither of them out. Cycles that PipeWire skips on a busy machine are left out, too.
    func breaksInSound(of length: Int = Rooms.counterLength) throws -> [Int] {
        let sound = try counter(of: length).numbers.filter { $0 != 0 }
        return sound.indices.dropFirst().filter {
            let missing = Int(sound[$0]) - Int(sound[$0 - 1]) - 1
            return missing != 0 && !Tolerance.isSkipped(missing, by: kind)
        }
    }

    /// Expects a reported gap for each break of the counter, at its place, and as long as what the file lacks.
    func expectTrueGaps(_ result: ProcessResult) throws {
        let (numbers, breaks) = try counter()
        let missing = breaks.filter { numbers[$0 - 1] != 0 && numbers[$0] != 0 }.map {
            (place: $0, frames: Int(numbers[$0]) - Int(numbers[$0 - 1]) - 1)
        }
        let reported = try reportedGaps(in: result)
        #expect(reported.count == missing.count, "\(missing): \(result.standardError)")
        var errors: [Int] = []
        for (gap, report) in zip(missing, reported) {
            #expect(isAt(gap.place, report), "\(missing): \(result.standardError)")
            #expect(abs(report.frames - gap.frames) <= Tolerance.gapOfMove, "\(missing): \(result.standardError)")
            errors.append(abs(report.frames - gap.frames))
        }
        let median = try #require(errors.sorted().dropFirst(errors.count / 2).first)
        #expect(median <= Tolerance.medianGapOfMove, "\(errors): \(result.standardError)")
    }

    /// Expects a normal end, and a counter that breaks only at reported gaps, by the reported length or slightly more.
    func expectBreaksAtGaps(_ result: ProcessResult) throws {
        #expect(result.end == .exit(0), "\(result.standardError)")
        let gaps = try reportedGaps(in: result)
        let (numbers, breaks) = try counter()
        for place in breaks where numbers[place - 1] != 0 && numbers[place] != 0 {
            let missing = Int(numbers[place]) - Int(numbers[place - 1]) - 1
            let reported = gaps.filter { isAt(place, $0) }.reduce(0) { $0 + $1.frames }
            #expect(
                Tolerance.isSkipped(missing, by: kind)
                    || missing > 0 && missing <= reported + Tolerance.gapOfMove + Tolerance.startOfRemapSource,
                "\(missing) frames at \(place), \(reported) reported: \(result.standardError)")
        }
    }

    /// The gaps that a take reported: their places in seconds, and what is missing in frames.
    private func reportedGaps(in result: ProcessResult) throws -> [(place: Double, frames: Int)] {
        try result.standardError.matches(of: /missing at (\d+):([\d.]+): [^(]*\((\d+) frames/).map {
            (try #require(Double($0.2)) + 60 * (try #require(Double($0.1))), try #require(Int($0.3)))
        }
    }

    /// Whether a gap is reported at a frame, to the millisecond in which messages state it.
    private func isAt(_ frame: Int, _ gap: (place: Double, frames: Int)) -> Bool {
        abs(gap.place - Double(frame) / 48_000) < 0.0011
    }
}
