import TestSupport
import Testing

@testable import ACCAudioRecorder

/// The input of the asynchronous API, with a reader of its own.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct PulseInputTests {
    @Test("What waits in libpulse's buffer until there is room in the ring is delivered whole")
    func aLateReader() async throws {
        try await RecorderFixture.withCounter(.pulseAudio) { server in
            let connection = try await PulseConnection.connect(to: server.address)
            let sources = try await connection.sourceCatalog().sources
            let source = try #require(sources.first { $0.name == "room.monitor" })
            let settings = CaptureSettings(streamProperties: [:], fragmentFrames: 480, api: .asynchronous)
            // The start lies within a block, so that later ones do not end where slots do.
            let input = try connection.open(source, settings, start: .after(hostTime: MonotonicClock.now()))
            try await input.waitUntilOpen()
            let ring = input.ring
            try await eventually("a full ring") { ring.leastFreeSlots == 0 }
            try await SampleClock.with(of: "room.monitor", on: server) { try await $0.wait(for: 1) }

            var samples: [Int16] = []
            let enough = 2 * RecorderFixture.rate * 10
            try await eventually("what waited, and more") {
                while ring.count > 0 {
                    ring.remove { item, bytes in
                        if item.stamp == nil { Issue.record("\(item)") }
                        samples += bytes.bindMemory(to: Int16.self)
                    }
                }
                return samples.count > enough
            }
            await input.stop(.now)
            let numbers = Signal.numbers(inCounter: samples, channels: 2).map { Int($0) }
            #expect(RecorderFixture.breaks(numbers).isEmpty)
        }
    }
}
