import ACCAudioRecorder
import TestSupport
import Testing

/// Devices of a server that go and come back.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct DeviceTests {
    @Test("D-08: loss and return of a device are reported", arguments: ServerKind.allCases)
    func lostDevicesAreTold(kind: ServerKind) async throws {
        try await PrivateServer.with(kind) { server in
            try await server.loadNullSink("other")
            let room = try await server.loadNullSink("room")
            let recorder = ACCAudioRecorder(configuration: RecorderFixture.configuration(server))
            let streams = try await recorder.startRecording()
            var events = streams.events.makeAsyncIterator()
            guard case .opened(let source, _) = await events.next() else {
                Issue.record("no start")
                return
            }
            try await server.unloadModule(room)
            // The stream may be seen on another source before the device is known to be lost.
            var seen: [RecordingEvent] = []
            while !seen.contains(where: { $0.isLoss(of: source) }), let event = await events.next() {
                seen.append(event)
            }
            #expect(seen.contains { $0.isLoss(of: source) })
            try await server.loadNullSink("room")
            var resumed: AudioSource?
            while resumed == nil, let event = await events.next() {
                if case .resumed(let source) = event { resumed = source }
            }
            #expect(resumed?.name == source.name && resumed?.id != source.id)
            await recorder.discardRecording()
        }
    }

    @Test("D-03: that another device goes and comes back does nothing to a recording", arguments: ServerKind.allCases)
    func otherDevicesAreIgnored(kind: ServerKind) async throws {
        try await RecorderFixture.withCounter(kind) { server in
            let recorder = ACCAudioRecorder(
                configuration: RecorderFixture.configuration(server, interruptions: .init(onDisconnect: .stop)))
            let streams = try await recorder.startRecording()
            async let events = RecorderFixture.all(streams.events)
            async let buffers = RecorderFixture.all(streams.buffers)
            try await RecorderFixture.wait(for: 0.3, of: recorder)
            for _ in 0..<3 {
                let other = try await server.loadNullSink("other")
                let frames = try #require(await recorder.currentDuration())
                try await server.unloadModule(other)
                try await RecorderFixture.wait(for: frames + 0.2, of: recorder)
            }
            let report = try #require(await recorder.finishRecording())
            #expect(report.ending == .finished && report.framesLost == 0)
            // Started, first frame and finished.
            #expect(await events.count == 3)
            #expect(RecorderFixture.breaks(await buffers.flatMap(RecorderFixture.numbers)).isEmpty)
        }
    }
}

extension RecordingEvent {
    /// Whether this source's device was lost, ignoring the state of the source.
    fileprivate func isLoss(of source: AudioSource) -> Bool {
        if case .deviceLost(let lost) = self { lost.id == source.id } else { false }
    }
}
