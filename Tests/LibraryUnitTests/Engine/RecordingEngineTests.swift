import Foundation
import TestSupport
import Testing

@testable import ACCAudioRecorder

/// The engine, fed from a ring faster than real time.
@Suite struct RecordingEngineTests {
    private let feed = CounterFeed()

    private func numbers(_ buffer: AudioBufferData) -> [Int] {
        Signal.numbers(inCounter: Signal.int16(buffer.toFloatArray() ?? []), channels: 2).map { Int($0) }
    }

    @Test("R-02: a subscriber that does not read keeps half a minute, and learns what it missed")
    func aSlowSubscriberIsToldWhatItMissed() async throws {
        let configuration = ACCAudioRecorder.Configuration(sampleRate: 48_000, channelCount: 2, bufferSize: 480)
        let broadcast = RecordingBroadcast()
        let engine = feed.engine(configuration, broadcast)
        let streams = broadcast.subscribe()

        // 40 s that nobody reads, then one more second after the reader has caught up.
        _ = try await feed.record(frames: 40 * 48_000, by: engine)
        var iterator = streams.buffers.makeAsyncIterator()
        var next = 0
        for _ in 0..<30 * 100 {
            let buffer = try #require(await iterator.next())
            #expect(buffer.missedFrameLength == 0)
            #expect(buffer.timestamp == Double(next) / 48_000)
            #expect(numbers(buffer).first == next)
            next += Int(buffer.frameLength)
        }
        #expect(next == 30 * 48_000)

        _ = try await feed.record(frames: 48_000, by: engine)
        let resumed = try #require(await iterator.next())
        #expect(resumed.missedFrameLength == 10 * 48_000)
        #expect(resumed.timestamp == 40)
        #expect(await iterator.next()?.missedFrameLength == 0)
        #expect(engine.frameCount == 41 * 48_000)
    }

    @Test("R-04: buffers carry every frame in order, with exact timestamps and host times")
    func buffersCarryEveryFrame() async throws {
        let configuration = ACCAudioRecorder.Configuration(sampleRate: 48_000, channelCount: 2)
        let broadcast = RecordingBroadcast()
        let engine = feed.engine(configuration, broadcast)
        let streams = broadcast.subscribe()
        _ = try await feed.record(frames: 100_001, by: engine)
        broadcast.finish()
        var next = 0
        for await buffer in streams.buffers {
            #expect(numbers(buffer) == Array(next..<next + Int(buffer.frameLength)))
            #expect(buffer.timestamp == Double(next) / 48_000)
            #expect(buffer.hostTime == UInt64(next) * 1_000_000_000 / 48_000 + 1_000_000_000)
            next += Int(buffer.frameLength)
        }
        #expect(next == 100_001)
    }

    @Test("R-08: outputs of every format end at exactly the limit")
    func outputsOfAllFormsEndAtTheLimit() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "accrec-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: directory) }

        let configuration = ACCAudioRecorder.Configuration(sampleRate: 48_000, channelCount: 2)
        let outputs = [
            try RecordingOutput(path: directory + "/a.wav"),
            try RecordingOutput(path: directory + "/b.flac", encoding: .s24, sampleRate: 44_100, channelCount: 1),
            try RecordingOutput(path: directory + "/c.raw", encoding: .f32, sampleRate: 16_000),
        ]
        let broadcast = RecordingBroadcast()
        let writers = try outputs.map {
            try feed.writer($0, of: configuration, broadcast)
        }
        let engine = feed.engine(configuration, broadcast, writers)
        engine.controls.limit = 2.5
        guard case .limitReached = try await feed.record(frames: 200_000, by: engine) else {
            Issue.record("the limit was not noticed")
            return
        }
        let report = await engine.finish(.limit, source: feed.source)
        #expect(report.outputs.map(\.frameCount) == [120_000, 110_250, 40_000])
        #expect(report.outputs.map(\.length) == [.seconds(2.5), .seconds(2.5), .seconds(2.5)])
        #expect(report.frameCount == 120_000)
        #expect(report.outputs[2].byteCount == 40_000 * 2 * 4)
    }

    @Test("Lost frames are counted and located")
    func lostFramesAreReported() async throws {
        let broadcast = RecordingBroadcast()
        let configuration = ACCAudioRecorder.Configuration(sampleRate: 48_000, channelCount: 2)
        let engine = feed.engine(configuration, broadcast)
        let streams = broadcast.subscribe()
        let ring = try CaptureRing(slotBytes: 40, waitingSlots: 4)
        for lost in [0, 7, 0] {
            if lost > 0 { #expect(ring.append(.hole(frames: lost, .overrun))) }
            #expect(ring.nextFreeSlot() != nil)
            ring.append(FragmentStamp(byteCount: 40))
        }
        #expect(ring.append(.hole(frames: 5, .dropped)))
        ring.close(.stopped)
        _ = engine.record(ring, from: feed.source, as: feed.source.form)
        broadcast.finish()
        let gaps = [
            RecordingGap(position: 10, framesLost: 7, sampleRate: 48_000),
            RecordingGap(position: 30, framesLost: 5, sampleRate: 48_000, cause: .dropped),
        ]
        var events: [RecordingEvent] = []
        for await event in streams.events { events.append(event) }
        #expect(events == [.started(hostTime: 0)] + gaps.map(RecordingEvent.gap))
        let report = await engine.finish(.finished, source: feed.source)
        #expect(report.gaps == gaps)
        #expect(report.framesLost == 12)
        #expect(report.frameCount == 30)
    }

    @Test("However many losses there are, the list is bounded, and all are in the sum")
    func manyLosses() async throws {
        let configuration = ACCAudioRecorder.Configuration(sampleRate: 48_000, channelCount: 2)
        let engine = feed.engine(configuration, RecordingBroadcast())
        let count = 5_000
        let ring = try CaptureRing(slotBytes: 40, waitingSlots: 2 * count)
        for _ in 0..<count {
            #expect(ring.nextFreeSlot() != nil)
            ring.append(FragmentStamp(byteCount: 40))
            #expect(ring.append(.hole(frames: 7, .overrun)))
        }
        ring.close(.stopped)
        _ = engine.record(ring, from: feed.source, as: feed.source.form)
        let report = await engine.finish(.finished, source: feed.source)
        #expect(report.gaps.count == 4_096 && report.framesLost == 7 * count)
        let last = try #require(report.gaps.last)
        #expect(last.framesLost == 7 * (count - 4_095) && last.position == 10 * count)
        #expect(last.span == .frames(10 * (count - 4_096), at: 48_000))
    }

    @Test("F-05: the length of a recording with several segments is rounded as a whole, in each format")
    func segmentsAreRoundedTogether() async throws {
        let configuration = ACCAudioRecorder.Configuration(sampleRate: 16_000, channelCount: 2)
        let engine = feed.engine(configuration, RecordingBroadcast())
        for turn in 1...6 {
            _ = try await feed.record(frames: 48_001, by: engine)
            #expect(engine.frameCount == Int((Double(turn * 48_001) / 3).rounded()))
        }
    }

    @Test("Consecutive interruptions are one gap, with the first as its cause")
    func theFirstInterruptionIsTheCause() async throws {
        let configuration = ACCAudioRecorder.Configuration(sampleRate: 48_000, channelCount: 2, bufferSize: 480)
        let engine = feed.engine(configuration, RecordingBroadcast())
        _ = try await feed.record(frames: 48_000, by: engine)
        _ = try await feed.record(frames: 0, by: engine, at: 3_000_000_000, after: .serverLost)
        _ = try await feed.record(frames: 4_800, by: engine, at: 4_000_000_000, after: .streamMoved)
        let gaps = await engine.finish(.finished, source: feed.source).gaps
        #expect(gaps.map(\.cause) == [.interruption(.serverLost)])
        #expect(gaps.map(\.framesLost) == [2 * 48_000])
    }

    @Test("I-04: a suspension is a gap with its own cause, in order with the audio", arguments: [false, true])
    func aSuspensionIsAGap(fillsGaps: Bool) async throws {
        let configuration = ACCAudioRecorder.Configuration(
            sampleRate: 48_000, channelCount: 2, interruptions: InterruptionPolicy(fillsGaps: fillsGaps))
        let engine = feed.engine(configuration, RecordingBroadcast())
        let ring = try CaptureRing(slotBytes: 4_800 * 4, waitingSlots: 64)
        for number in UInt64(0)..<20 {
            ring.nextFreeSlot()?.initializeMemory(as: UInt8.self, repeating: 1)
            // A quarter of a second is missing after one second.
            let time = 1_000_000_000 + number * 100_000_000 + (number < 10 ? 0 : 250_000_000)
            ring.append(FragmentStamp(byteCount: ring.slotBytes, hostTime: time, arrivalTime: time + 100_000_000))
            if number == 9 {
                #expect(ring.append(.suspended(.suspended)))
                #expect(ring.append(.resumed()))
            }
        }
        ring.close(.sourceRemoved)
        var flows: [SourceFlow] = []
        let end = engine.record(ring, from: feed.source, as: feed.source.form) { flows.append($0) }
        guard case .inputEnded(.sourceRemoved) = end else {
            Issue.record("the end was \(end)")
            return
        }
        #expect(flows == [.flowing, .suspended(.suspended), .flowing])
        let report = await engine.finish(.finished, source: feed.source)
        let gap = RecordingGap(
            position: 48_000, framesLost: 12_000, sampleRate: 48_000, cause: .interruption(.suspended),
            isFilled: fillsGaps)
        #expect(report.gaps == [gap])
        #expect(report.frameCount == 96_000 + (fillsGaps ? 12_000 : 0))
    }
}
