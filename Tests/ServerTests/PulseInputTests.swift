import TestSupport
import Testing

@testable import ACCAudioRecorder

/// The input of the asynchronous API, with a reader of its own.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct PulseInputTests {
    @Test("What waits in libpulse's buffer until there is room in the ring is delivered whole")
    func aLateReader() async throws {
        try await RecorderFixture.withCounter(.pulseAudio) { server in
            let input = try await Self.openForALateReader(on: server)
            let ring = input.ring
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

    @Test("What waits in libpulse's buffer when the source is gone counts as lost")
    func aLateReaderOfALostSource() async throws {
        try await PrivateServer.with(.pulseAudio) { server in
            let sink = try await server.loadNullSink("room")
            let ring = try await Self.openForALateReader(on: server).ring
            try await server.unloadModule(sink)
            try await eventually("the end") { ring.isClosed }
            var lost = 0
            while ring.count > 0 {
                ring.remove { item, _ in
                    if case .hole(let frames, .overrun) = item { lost += frames }
                }
            }
            #expect(lost > RecorderFixture.rate / 2)
        }
    }

    /// An input of the room's monitor whose ring is full, with a second of audio in libpulse's buffer.
    private static func openForALateReader(on server: PrivateServer) async throws -> any CaptureInput {
        let connection = try await PulseConnection.connect(to: server.address)
        let source = try #require(try await connection.sourceCatalog().sources.first { $0.name == "room.monitor" })
        let settings = CaptureSettings(streamProperties: [:], fragmentFrames: 480, api: .asynchronous)
        // The start lies within a block, so that later ones do not end where slots do.
        let input = try connection.open(source, settings, start: .after(hostTime: MonotonicClock.now()))
        try await input.waitUntilOpen()
        try await eventually("a full ring") { input.ring.leastFreeSlots == 0 }
        try await SampleClock.with(of: "room.monitor", on: server) { try await $0.wait(for: 1) }
        return input
    }

    /// A sink that rewinds, as most do, lets PulseAudio keep up to a block for each stream, which its timing does not count.
    @Test(
        "On PulseAudio, a monitor and filters of it state the same time for the same frame",
        arguments: [true, false])
    func filtersOfAMonitor(rewinds: Bool) async throws {
        try await PrivateServer.with(.pulseAudio) { server in
            try await server.loadNullSink("room", isPrompt: !rewinds)
            try await Player.with(.counter, into: "room", on: server) { _ in
                try await server.makeMicrophone("near", hearing: "room")
                try await server.loadModule("module-remap-source", ["master=near", "source_name=second", "remix=no"])
                try await server.waitForSource("second")
                let connection = try await PulseConnection.connect(to: server.address)
                // On a busy machine the server states one of them wrongly by some milliseconds for some seconds.
                try await eventually("the same time", within: 60) {
                    async let monitor = Self.statedTime(of: "room.monitor", over: connection)
                    async let filter = Self.statedTime(of: "near", over: connection)
                    async let second = Self.statedTime(of: "second", over: connection)
                    let times = try await [monitor, filter, second]
                    return times.allSatisfy { abs($0 - times[0]) < Tolerance.placeOfTrack }
                }
            }
        }
    }

    /// When frame 0 of the counter was captured, in seconds of CLOCK_MONOTONIC: the median over four seconds.
    private static func statedTime(of name: String, over connection: PulseConnection) async throws -> Double {
        let source = try #require(try await connection.sourceCatalog().sources.first { $0.name == name })
        var settings = CaptureSettings(streamProperties: [:], fragmentFrames: 4_096, api: .asynchronous)
        settings.asksForTiming = true
        let input = try connection.open(source, settings, start: .after(hostTime: MonotonicClock.now()))
        try await input.waitUntilOpen()
        let ring = input.ring
        var (frameCount, times) = (0, [Double]())
        try await eventually("six seconds") {
            while ring.count > 0 {
                ring.remove { item, bytes in
                    guard let stamp = item.stamp else { return }
                    let number = Signal.numbers(inCounter: Array(bytes.bindMemory(to: Int16.self)), channels: 2)[0]
                    frameCount += bytes.count / 4
                    // At its start, a monitor states times that jump.
                    guard frameCount > 2 * RecorderFixture.rate, number > 0 else { return }
                    times.append(Double(stamp.hostTime) * 1e-9 - Double(number) / Double(RecorderFixture.rate))
                }
            }
            return frameCount > 6 * RecorderFixture.rate
        }
        await input.stop(.now)
        return times.sorted()[times.count / 2]
    }
}
