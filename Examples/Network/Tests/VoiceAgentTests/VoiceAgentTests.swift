import ACCAudioRecorder
import Synchronization
import Testing

@testable import VoiceAgent

/// The uplink is tested with a server that is killed and started again. Audio arrives when the test moves one clock, and the
/// uplink connects again when it moves another one.
@Suite(.timeLimit(.minutes(1)))
struct VoiceAgentTests {
    @Test("Every sample arrives, though the server is killed and started again")
    func restartedServer() async throws {
        let call = try await Call()
        async let report = call.run()
        try await call.connect()
        var transcript = Transcript()
        try await call.loseServerAfterASecond(&transcript)
        call.microphone.advance(by: .seconds(1))
        let next = try await AgentServer(port: call.server.port)
        try await call.connect()
        await call.recorder.finishRecording()
        await transcript.read(next, until: { $0.hasEnded })
        #expect(transcript.samples == Call.samples(0..<32_000))
        #expect(transcript.notices.map(\.kind) == [.ended])
        #expect(try await report.frameCount == 32_000)
        try await next.kill()
    }

    @Test("A server that was away for long gets the newest two seconds, and learns how much it missed")
    func absentServer() async throws {
        let call = try await Call()
        async let report = call.run()
        try await call.connect()
        var transcript = Transcript()
        try await call.loseServerAfterASecond(&transcript)
        call.microphone.advance(by: .seconds(5))
        await call.recorder.finishRecording()
        let next = try await AgentServer(port: call.server.port)
        try await call.connect()
        await transcript.read(next, until: { $0.hasEnded })
        #expect(transcript.samples == Call.samples(0..<16_000) + Call.samples(64_000..<96_000))
        #expect(transcript.notices.map(\.kind) == [.dropped, .ended])
        #expect(transcript.notices.first?.frames == 48_000)
        _ = try await report
        try await next.kill()
    }

    @Test("A server that acknowledges nothing is left, and its messages are sent to the next one")
    func silentServer() async throws {
        let call = try await Call(server: AgentServer(acknowledges: false))
        async let report = call.run()
        try await call.connect()
        var unanswered = Transcript()
        for seconds in 1...5 {
            call.microphone.advance(by: .seconds(1))
            await unanswered.read(call.server, until: { $0.samples.count == seconds * 16_000 })
        }
        call.microphone.advance(by: .seconds(1))
        try await call.waitForLine("no connection")
        try await call.server.kill()
        let next = try await AgentServer(port: call.server.port)
        try await call.connect()
        await call.recorder.finishRecording()
        var transcript = Transcript()
        await transcript.read(next, until: { $0.hasEnded })
        #expect(transcript.samples == Call.samples(0..<96_000))
        _ = try await report
        try await next.kill()
    }

    @Test("A gap has its place and its cause")
    func gap() async throws {
        let call = try await Call(faults: [.init(.dropped(frames: 8_000), atFrame: 16_000)])
        async let report = call.run()
        try await call.connect()
        call.microphone.advance(by: .seconds(2))
        await call.recorder.finishRecording()
        var transcript = Transcript()
        await transcript.read(call.server, until: { $0.hasEnded })
        #expect(transcript.samples == Call.samples(0..<16_000) + Call.samples(24_000..<32_000))
        let gap = try #require(transcript.notices.first)
        #expect(gap.number == 50 && gap.kind == .gap && gap.seconds == 0.5)
        #expect(gap.cause == RecordingGap.Cause.dropped.description)
        _ = try await report
        try await call.server.kill()
    }
}

/// A recorder with its uplink to a server.
private struct Call {
    /// Moves the audio.
    let microphone = SyntheticClock()
    /// Moves the delays before reconnections.
    private let delays = SyntheticClock()
    let recorder: ACCAudioRecorder
    let server: AgentServer
    private let uplink: Uplink
    private let lines = Lines()

    init(server: AgentServer? = nil, faults: [SyntheticSource.Fault] = []) async throws {
        self.server = if let server { server } else { try await AgentServer() }
        recorder = ACCAudioRecorder(
            configuration: Uplink.configuration,
            source: try SyntheticSource(
                samples: Self.samples(0..<160_000), sampleRate: 16_000, channelCount: 1, pace: .clock(microphone),
                faults: faults))
        uplink = try Uplink(
            of: recorder, to: "127.0.0.1", port: self.server.port, clock: delays, tell: lines.add)
    }

    /// The samples of the source, of which no two seconds are alike.
    static func samples(_ frames: Range<Int>) -> [Int16] { frames.map { Int16($0 * 7 % 30_011) } }

    func run() async throws -> RecordingReport {
        try await recorder.withRecording { _ in try await uplink.run() }.report
    }

    /// Waits for a connection.
    func connect() async throws { try await waitForLine("connected") }

    /// Sends a second of audio, kills the server once it has that, and waits until the uplink knows.
    func loseServerAfterASecond(_ transcript: inout Transcript) async throws {
        microphone.advance(by: .seconds(1))
        await transcript.read(server, until: { $0.samples.count == 16_000 })
        try await server.kill()
        try await waitForLine("no connection")
    }

    /// Waits for a line that begins with a word, and takes all lines until then.
    func waitForLine(_ prefix: String) async throws {
        while !lines.take(through: prefix) {
            // A sleep of the uplink may begin after a move of its clock.
            delays.advance(by: .seconds(5))
            try await Task.sleep(for: .milliseconds(1))
        }
    }
}

/// What a server has got, without what it got twice.
private struct Transcript {
    private(set) var samples: [Int16] = []
    private(set) var notices: [Message.Notice] = []
    private var next = 0

    var hasEnded: Bool { notices.last?.kind == .ended }

    mutating func read(_ server: AgentServer, until isComplete: (Self) -> Bool) async {
        for await message in server.messages {
            if message.number >= next {
                #expect(message.number == next)
                next = message.number + 1
                switch message {
                case .audio(_, let samples): self.samples += samples
                case .notice(let notice): notices.append(notice)
                }
            }
            if isComplete(self) { return }
        }
    }
}

/// The lines that a user would see.
private final class Lines: Sendable {
    private let lines = Mutex<[String]>([])

    func add(_ line: String) { lines.withLock { $0.append(line) } }

    /// Removes the lines up to the first that begins with a word; false if there is none.
    func take(through prefix: String) -> Bool {
        lines.withLock { lines in
            guard let index = lines.firstIndex(where: { $0.hasPrefix(prefix) }) else { return false }
            lines.removeSubrange(...index)
            return true
        }
    }
}
