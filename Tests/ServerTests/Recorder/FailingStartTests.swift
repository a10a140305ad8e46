import ACCAudioRecorder
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(2)))
struct FailingStartTests {
    @Test("R-09: a failed start leaves nothing behind, and the next one works", arguments: ServerKind.allCases)
    func failedStartsLeaveNothing(kind: ServerKind) async throws {
        try await RecorderFixture.withCounter(kind) { server in
            let good = RecorderFixture.configuration(server)
            var noServer = good, noSource = good, noChannels = good, badRate = good
            noServer.serverName = "unix:/nonexistent/native"
            noSource.sourceName = "nosuch"
            noChannels.channelCount = 0
            badRate.sampleRate = 1e9
            let cases: [(ACCAudioRecorder.Configuration, ACCAudioRecorderError.Failure.Reason)] = [
                (noServer, .noServer), (noSource, .noSuchSource), (noChannels, .invalidFormat),
                (badRate, .invalidFormat),
            ]
            let path = server.directory.appending(path: "take.wav").path
            for (configuration, reason) in cases {
                let recorder = ACCAudioRecorder(configuration: configuration)
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
                    #expect(!FileManager.default.fileExists(atPath: path))
                }
            }

            let recorder = ACCAudioRecorder(configuration: good)
            await #expect(throws: ACCAudioRecorderError.self) {
                _ = try await recorder.startRecording(to: [RecordingOutput(path: "/nonexistent/take.wav")])
            }
            let streams = try await recorder.startRecording(to: [RecordingOutput(path: path)])
            await #expect(throws: ACCAudioRecorderError.recordingAlreadyInProgress) {
                _ = try await recorder.startRecording()
            }
            async let buffers = RecorderFixture.all(streams.buffers)
            try await RecorderFixture.wait(for: 0.2, of: recorder)
            await recorder.finishRecording()
            #expect(await !buffers.isEmpty)
        }
    }

    @Test("I-08, I-10, I-13: a lost server ends the recording, and a new one can start in the callback")
    func aLostServerEndsTheRecording() async throws {
        try await RecorderFixture.withCounter(.pulseAudio) { server in
            let path = server.directory.appending(path: "take.wav")
            var configuration = RecorderFixture.configuration(server)
            configuration.interruptions.timeout = 0.5
            let recorder = ACCAudioRecorder(configuration: configuration)
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
            async let events = RecorderFixture.all(streams.events)
            try await RecorderFixture.wait(for: 0.5, of: recorder)
            try await server.kill()
            let seen = await events
            guard case .brokeOff(.captureFailed(let failure)) = seen.dropLast().last,
                case .finished(let report) = seen.last
            else {
                Issue.record("\(seen)")
                return
            }
            #expect(seen.contains(.interrupted(.serverLost)))
            #expect(failure.reason == .noServer)
            #expect(try PCMFile(wav: path).frames == report.frameCount)
            try await eventually("the callback") { inCallback.withLock { $0 != nil } }
            // The recorder was idle, and the start failed because of the missing server, not because of a running
            // recording.
            #expect(inCallback.withLock { $0?.isIdle } == true)
            #expect(inCallback.withLock { $0?.reason } == .noServer)
        }
    }
}
