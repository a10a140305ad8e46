import Foundation
import TestSupport
import Testing

/// The files of a recording that is controlled from a terminal. Each played frame carries its number.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct SteeredRecordingTests {
    private static let rate = 48_000

    /// The elapsed time on the meter in frames, with a resolution of a tenth of a second.
    private func shown(_ screen: [String]) throws -> Int {
        Int((try #require(TmuxTerminal.recordingTime(on: screen)) * Double(Self.rate)).rounded())
    }

    /// Waits until the meter has advanced by half a second.
    private func waitForMore(than screen: [String], in terminal: TmuxTerminal) async throws -> [String] {
        try await terminal.waitForRecording(of: try #require(TmuxTerminal.recordingTime(on: screen)) + 0.5)
    }

    private func numbers(_ file: PCMFile) -> [Int] {
        Signal.numbers(inCounter: file.int16, channels: 2).map(Int.init)
    }

    @Test("Keys mark, pause and split at exact frames: none is lost or duplicated, and none is from the pause")
    func keysActAtTheirFrames() async throws {
        try await TmuxTerminal.withAccrec(playing: .counter) { terminal, server in
            // The meter lags behind the capture by less than this.
            let lag = Self.rate / 2
            try await terminal.enter("\(TmuxTerminal.recording); echo status $? >status")
            let start = try await terminal.waitForRecording(of: 1)
            try await terminal.press("m")
            let marked = try await terminal.waitForScreen("a marker") {
                $0.contains { $0.contains("marker '1' at 0:0") }
            }
            _ = try await waitForMore(than: marked, in: terminal)

            try await terminal.press("Space")
            let paused = try await terminal.waitForScreen("a pause") { $0.contains { $0.contains("PAUSED") } }
            try await server.record(["-o", "meanwhile.wav", "--max", "0.5", "-q", "-c", "native", "-r", "native"])
            try await terminal.press("Space")
            let resumed = try await terminal.waitForScreen("recording again") { $0.contains { $0.contains("REC  0:") } }
            let before = try await waitForMore(than: resumed, in: terminal)

            try await terminal.press("s")
            let cut = try await terminal.waitForScreen("a new file") { $0.contains { $0.contains("'take-002.wav'") } }
            _ = try await waitForMore(than: cut, in: terminal)
            try await terminal.press("q")
            try await eventually("the end") { (try? server.text("status")) == "status 0\n" }

            let first = try server.wav()
            let second = try server.wav("take-002.wav")
            let recording = numbers(first) + numbers(second)
            let silence = recording.prefix { $0 == 0 }.count
            let breaks = recording.indices.dropFirst(silence + 1).filter { recording[$0] != recording[$0 - 1] + 1 }
            let resumption = try #require(breaks.first)
            #expect(breaks.count == 1)
            let pause = try shown(paused)
            #expect((pause - lag...pause + lag).contains(resumption))
            let others = numbers(try server.wav("meanwhile.wav"))
            #expect(recording[resumption - 1] < others[0] && others[others.count - 1] < recording[resumption])
            #expect((try shown(before)...(try shown(cut)) + lag).contains(first.frames))

            let marker = try #require(try WAVMarker.all(in: server.file("take.wav")).first)
            #expect((try shown(start)...(try shown(marked)) + lag).contains(marker.frame))
            let message = String(format: "marker '1' at 0:%06.3f", floor(Double(marker.frame) / 48) / 1_000)
            #expect(marked.contains("accrec: \(message)"))
            let label = try server.text("take.wav.labels.txt")
            let last = try #require(label.split(separator: "\n").last)
            let time = try #require(Double(last.prefix { $0 != "\t" }))
            #expect(abs(time * 48_000 - Double(marker.frame)) < 0.1 && label.hasSuffix("\t1\n"))
        }
    }

    @Test("With a meter on the terminal, a pipe gets all samples and nothing else")
    func pipesGetSamplesOnly() async throws {
        try await TmuxTerminal.withAccrec(playing: .counter) { terminal, server in
            let recording = "accrec record -o - -d room.monitor -c native -r native"
            try await terminal.enter("\(recording) | cat >take.raw; echo status ${PIPESTATUS[0]}")
            try await terminal.waitForRecording(of: 1)
            try await terminal.press("q")
            let report = try await terminal.waitForScreen("the report") { $0.contains("status 0") }
            let frames = try #require(report.joined(separator: " ").firstMatch(of: /(\d+) frames, raw/))
            let data = try Data(contentsOf: server.file("take.raw"))
            try #require(data.count == Int(frames.1)! * 4)
            let sound = Signal.int16(data).drop { $0 == 0 }
            #expect(sound.count > 48_000)
            #expect(Signal.firstBreak(inCounter: Array(sound), channels: 2) == nil)
        }
    }
}
