import ACCAudioRecorder
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import AccrecCommands

/// A week of `--split-every 1h --split-at-clock --keep-last 24 --exec`, by a clock that the test moves. Two seconds
/// around each full hour are recorded, and the rest is paused.
@Suite(.serialized, .timeLimit(.minutes(3)), .tags(.lengthy))
struct HourlyFilesTests {
    private static let hours = 168
    private static let filesKept = 24
    /// The hour before which the slow program ends.
    private static let release = 40

    /// A zone whose clock is put forward on the third day from now, and back on the fifth, at 03:00.
    private static var zone: String {
        let days = [2, 4].map { days in
            var (instant, date) = (time(nil) + days * 86_400, tm())
            gmtime_r(&instant, &date)
            return date.tm_yday
        }
        return "AAA0BBB-1,\(days[0])/3,\(days[1])/3"
    }

    /// Notes the file with its first frame and length. One of seven programs fails, one changes its file, one replaces
    /// it; and one of the first day waits until the test writes a line to a pipe.
    private static let script = #"""
        sed 's/.*"first_frame":\([0-9]*\).*"frames":\([0-9]*\).*/\1 \2/' >>"$1/log"
        case $(($(wc -l <"$1/log") % 7)) in
        1) exit 1 ;;
        2) echo tag >>"$ACCREC_FILE" ;;
        3) cp "$ACCREC_FILE" "$1/copy" && mv "$1/copy" "$ACCREC_FILE" ;;
        4) [ -e "$1/slow" ] || { : >"$1/slow"; read line <"$1/pipe"; } ;;
        esac
        """#

    @Test("Each file has its program once, nothing is lost, and the disk is bounded, over both changes of the clock")
    func week() async throws {
        try await LocalTime.with(zone: Self.zone) {
            try await TemporaryDirectory.with { directory in try await week(in: directory) }
        }
    }

    private func week(in directory: URL) async throws {
        let (files, notes) = (directory.appending(path: "files"), directory.appending(path: "notes"))
        for place in [files, notes] {
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
        }
        let pipe = notes.appending(path: "pipe").path
        #expect(mkfifo(pipe, 0o600) == 0)
        let release = open(pipe, O_RDWR | O_CLOEXEC)
        defer { close(release) }

        let execQueue = ExecQueue(
            ExecQueue.Program(path: "/bin/sh", arguments: ["-c", Self.script, "sh", notes.path]), timeout: 600)
        var configuration = ACCAudioRecorder.Configuration(
            sampleRate: 8_000, channelCount: 1, bufferSize: 80,
            splitting: .init(interval: .seconds(3_600), isByClock: true))
        configuration.retention.fileCount = Self.filesKept
        configuration.heldFiles = execQueue.held
        let clock = SyntheticClock()
        let begin = Date.now.timeIntervalSince1970
        let recorder = ACCAudioRecorder(
            configuration: configuration,
            source: try SyntheticSource(sampleRate: 8_000, channelCount: 1, pace: .clock(clock)) { _, _ in 0.5 })
        let streams = try await recorder.startRecording(to: [
            RecordingOutput(.pattern(try FilePattern(files.path + "/log-%H.wav")), container: .wav, syncInterval: .zero)
        ])
        let failures = Mutex(0)
        let warnings = Mutex<[String]>([])
        let following = Task {
            for await event in streams.events {
                if case .warning(let warning) = event { warnings.withLock { $0.append("\(warning)") } }
                await execQueue.receive(event) { message in
                    if message.hasSuffix("failed: exit status 1") {
                        failures.withLock { $0 += 1 }
                    } else {
                        warnings.withLock { $0.append(message) }
                    }
                }
            }
        }
        func log() -> [[Int]] {
            let text = (try? String(contentsOf: notes.appending(path: "log"), encoding: .utf8)) ?? ""
            return text.split(separator: "\n").map { $0.split(separator: " ").compactMap { Int($0) } }
        }

        func fileCount() throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: files.path).count { !$0.hasPrefix(".accrec-files-") }
        }

        var largest = 0
        for hour in 1...Self.hours {
            // The source's clock and the system's are read some microseconds apart, so the cut is not at the edge.
            let boundary = (begin / 3_600).rounded(.down) * 3_600 + Double(hour) * 3_600 - begin
            await recorder.pauseRecording()
            clock.advance(by: .seconds(max(boundary - 1, 0)) - clock.now.elapsed)
            try await recorder.resumeRecording()
            clock.advance(by: .seconds(2))
            // One program waits for the test until then.
            let pendingCount = hour < Self.release ? 1 : 0
            try await eventually("the program of hour \(hour): \(log().count)") {
                let pending = await execQueue.pendingCount
                return log().count == hour && pending <= pendingCount
            }
            largest = max(largest, try fileCount())
            if hour == Self.release - 1 { #expect(write(release, "\n", 1) == 1) }
        }
        let report = try #require(await recorder.finishRecording())
        await following.value
        try await eventually("the last program") { await execQueue.pendingCount == 0 }

        let lengths = log().sorted { $0[0] < $1[0] }
        #expect(lengths.count == Self.hours + 1)
        #expect(zip(lengths, lengths.dropFirst()).allSatisfy { $0[0] + $0[1] == $1[0] })
        #expect(lengths.reduce(0) { $0 + $1[1] } == report.frameCount && report.framesLost == 0)
        #expect(failures.withLock { $0 } == (Self.hours + 1 + 6) / 7)
        #expect(warnings.withLock { $0 } == [])
        // The file of the slow program is one more than are kept, for as long as that runs.
        #expect(largest == Self.filesKept + 1)
        #expect(try fileCount() == Self.filesKept)
    }
}
