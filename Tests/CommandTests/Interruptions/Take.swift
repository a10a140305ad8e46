import Foundation
import TestSupport
import Testing

/// A take of a test: a WAV file of 48 kHz stereo s16, among the server's files.
struct Take {
    let url: URL

    init(on server: PrivateServer, _ name: String = "take.wav") {
        url = server.directory.appending(path: name)
    }

    /// The arguments to record it.
    ///
    /// - Parameters:
    ///   - source: nil to name none.
    ///   - more: Options, before those of the same name that are there anyway.
    func record(from source: String? = "near", with more: [String] = []) -> [String] {
        ["record", "-o", url.path, "-r", "48000", "-c", "2"] + (source.map { ["-d", $0] } ?? []) + more
    }

    /// The seconds that the file has so far; 0 where there is none.
    var seconds: Double {
        let size = try? FileManager.default.attributesOfItem(atPath: url.path)[.size] as? Int
        return Double(size ?? 0) / 192_000
    }

    /// Waits until the file has so many seconds, as its size says.
    func wait(for seconds: Double, _ accrec: ChildProcess) async throws {
        try await eventually("\(seconds) s in \(url.lastPathComponent): \(accrec.standardError)", within: 20) {
            self.seconds > seconds
        }
    }

    /// Waits until the file has so many seconds more than now.
    func wait(forAnother seconds: Double, _ accrec: ChildProcess) async throws {
        try await wait(for: self.seconds + seconds, accrec)
    }

    /// Records so many seconds more, and ends the take as Ctrl-C does.
    func finish(_ accrec: ChildProcess, after seconds: Double) async throws -> ProcessResult {
        try await wait(forAnother: seconds, accrec)
        accrec.signal(SIGINT)
        return try await accrec.wait()
    }

    /// The numbers of the counter, and where they do not go on by one; foreign frames, and whatever is no counter, fail.
    func counter() throws -> (numbers: [UInt32], breaks: [Int]) {
        let numbers = Signal.numbers(inCounter: try PCMFile(wav: url).int16, channels: 2)
        #expect(!numbers.contains(Rooms.foreign))
        #expect(numbers.allSatisfy { $0 <= Rooms.counterLength })
        let breaks = numbers.indices.dropFirst().filter {
            numbers[$0] != numbers[$0 - 1] &+ 1 && !(numbers[$0] == 0 && numbers[$0 - 1] == 0)
        }
        return (numbers, breaks)
    }

    /// It ended as asked, with the counter broken only where a gap was reported, by what was reported or a little more; and
    /// what was reported is no more than 100 ms each time, or 150 on a busy machine.
    func expectSmallGaps(_ result: ProcessResult) throws {
        #expect(result.end == .exit(0), "\(result.standardError)")
        let reported = result.standardError.matches(of: /([0-9]+) frames of the source are missing/)
        #expect(reported.allSatisfy { Int($0.1).map { $0 <= 7_200 } == true }, "\(result.standardError)")
        let (numbers, breaks) = try counter()
        for place in breaks where numbers[place - 1] != 0 && numbers[place] != 0 {
            let missing = Int(numbers[place]) - Int(numbers[place - 1]) - 1
            // PipeWire's remap source leaves out 512 frames of its own after a start.
            #expect(missing > 0 && missing <= 4_800 + 512, "\(missing) frames at \(place): \(result.standardError)")
        }
    }
}
