import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ACCAudioRecorder

/// Starts that fail.
@Suite(.timeLimit(.minutes(1)))
struct FailingStartTests {
    @Test("R-09: a failed start leaves nothing behind, and the next one works")
    func failedStartsLeaveNothing() async throws {
        try await TemporaryDirectory.with { directory in
            let server = MemoryServer("near")
            let dead = MemoryServer("near")
            dead.kill()
            let cases: [(ACCAudioRecorder, ACCAudioRecorderError.Failure.Reason)] = [
                (dead.recorder(of: "near"), .noServer), (server.recorder(of: "nosuch"), .noSuchSource),
                (server.recorder(of: "near") { $0.channelCount = 0 }, .invalidFormat),
                (server.recorder(of: "near") { $0.sampleRate = 1e9 }, .invalidFormat),
            ]
            let path = directory.appending(path: "take.wav").path
            for (recorder, reason) in cases {
                for _ in 0..<2 {
                    let error = await #expect(throws: ACCAudioRecorderError.self) {
                        _ = try await recorder.startRecording(to: [RecordingOutput(path: path)])
                    }
                    #expect(error?.failure?.reason == reason)
                    switch (reason, error) {
                    case (.invalidFormat, .audioFormatCreationFailed): break
                    case (.noServer, .audioEngineStartFailed), (.noSuchSource, .audioEngineStartFailed): break
                    default: Issue.record("\(String(describing: error)) for \(reason)")
                    }
                    #expect(error?.failure?.cause.isEmpty == false)
                    #expect(error?.localizedDescription.contains(error?.failure?.remedy ?? "-") == true)
                    #expect(await recorder.getCurrentStreams() == nil)
                    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
                    #expect(server.streamCount == 0)
                }
            }

            let recorder = server.recorder(of: "near")
            await #expect(throws: ACCAudioRecorderError.self) {
                _ = try await recorder.startRecording(to: [RecordingOutput(path: "/nonexistent/take.wav")])
            }
            #expect(server.streamCount == 0)
            let streams = try await recorder.startRecording(to: [RecordingOutput(path: path)])
            await #expect(throws: ACCAudioRecorderError.recordingAlreadyInProgress) {
                _ = try await recorder.startRecording()
            }
            try await server.advance(by: .milliseconds(200))
            await recorder.finishRecording()
            #expect(await streams.buffers.all.reduce(0) { $0 + Int($1.frameLength) } == 9_600)
            #expect(try PCMFile(wav: URL(filePath: path)).frames == 9_600)
        }
    }

    @Test("I-08, I-10, I-13: a lost server ends the recording, and a new one can start in the callback")
    func aLostServerEndsTheRecording() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.appending(path: "take.wav")
            let server = MemoryServer("near")
            let recorder = server.recorder(of: "near", .init(timeout: .seconds(0.5)))
            let inCallback = Mutex<(isIdle: Bool, reason: ACCAudioRecorderError.Failure.Reason?)?>(nil)
            await recorder.setOnUnrecoverableInterruption {
                let isIdle = await recorder.getCurrentStreams() == nil
                var reason: ACCAudioRecorderError.Failure.Reason?
                do throws(ACCAudioRecorderError) {
                    _ = try await recorder.startRecording()
                } catch {
                    reason = error.failure?.reason
                }
                inCallback.withLock { $0 = (isIdle, reason) }
            }
            let streams = try await recorder.startRecording(to: [RecordingOutput(path: path.path)])
            try await server.advance(by: .milliseconds(500))
            server.kill()
            try await eventually("the interruption") { await recorder.isPausedState() }
            try await server.advance(by: .milliseconds(500))
            let seen = await streams.events.all
            guard case .brokeOff(.captureFailed(let failure)) = seen.dropLast().last, let report = seen.report else {
                Issue.record("\(seen)")
                return
            }
            #expect(seen.suffix(3).first == .interrupted(.serverLost))
            #expect(failure.reason == .noServer)
            #expect(report.frameCount == 24_000)
            #expect(try PCMFile(wav: path).frames == 24_000)
            try await eventually("the callback") { inCallback.withLock { $0 != nil } }
            // The recorder was idle, and the start failed because of the missing server, not because of a running
            // recording.
            #expect(inCallback.withLock { $0?.isIdle } == true)
            #expect(inCallback.withLock { $0?.reason } == .noServer)
        }
    }
}
