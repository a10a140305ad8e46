import Foundation
import TestSupport
import Testing

@testable import ACCAudioRecorder

/// An output whose reader stops, so that the pipe is full.
@Suite(.timeLimit(.minutes(1)))
struct OutputWriterTests {
    private static let rate = 8_000
    private static let blockFrames = 800

    /// The data from the pipe, and the reports.
    private struct Outcome {
        let descriptor: Int32
        let frames: [Float]
        let report: OutputReport
        let warnings: [RecordingWarning]
    }

    /// Writes this many seconds of a ramp before the reader starts, and this many blocks of 0.1 s afterwards.
    private func outcome(
        secondsStopped: Int, blocksAfterwards: Int = 0, fillsGaps: Bool = false, longestDelay: Double = 60,
        policy: OverflowPolicy = .drop
    ) async throws -> Outcome {
        let pipe = Pipe()
        let broadcast = RecordingBroadcast()
        let streams = broadcast.subscribe()
        let descriptor = pipe.fileHandleForWriting.fileDescriptor
        var output = RecordingOutput(.descriptor(descriptor), container: .raw)
        output.format.encoding = .given(.f32)
        output.longestDelay = .seconds(longestDelay)
        output.overflowPolicy = policy
        let form = StreamFormat(sampleRate: Self.rate, channelMap: .standard(channelCount: 1))
        let writer = try OutputWriter(
            output, for: .made("microphone"), form: form,
            configuration: .init(interruptions: .init(fillsGaps: fillsGaps)), broadcast: broadcast)
        var next = 1
        func write(_ blocks: Int) {
            for _ in 0..<blocks {
                withBlock((next..<next + Self.blockFrames).map(Float.init)) { writer.write($0) }
                next += Self.blockFrames
            }
        }
        write(secondsStopped * 10)
        // In a separate thread, because it blocks.
        let reading = Promise<Data>()
        Thread.detachNewThread {
            reading.fulfil((try? pipe.fileHandleForReading.readToEnd()) ?? Data())
        }
        if blocksAfterwards > 0 {
            // Let everything pending be written before adding more.
            try await writer.waitUntilWritten()
            write(blocksAfterwards)
        }
        let reports = await writer.finish(serverProcessing: []).value
        try pipe.fileHandleForWriting.close()
        let data = await reading.value
        broadcast.finish()
        var warnings: [RecordingWarning] = []
        for await case .warning(let warning) in streams.events { warnings.append(warning) }
        let frames = data.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
        return Outcome(descriptor: descriptor, frames: frames, report: try #require(reports.first), warnings: warnings)
    }

    @Test("A reader that stops for twenty seconds receives everything")
    func aStallIsBridged() async throws {
        let outcome = try await outcome(secondsStopped: 20)
        #expect(outcome.frames == (1...20 * Self.rate).map(Float.init))
        #expect(outcome.report.gaps.isEmpty && outcome.warnings.isEmpty)
        #expect(outcome.report.frameCount == 20 * Self.rate)
    }

    /// A writer of raw samples to a pipe.
    private static func writer(
        to pipe: Pipe, _ encoding: SampleEncoding, channels: UInt32 = 1, longestDelay: Duration = .seconds(60)
    ) throws -> OutputWriter {
        var output = RecordingOutput(.descriptor(pipe.fileHandleForWriting.fileDescriptor), container: .raw)
        (output.format.encoding, output.longestDelay) = (.given(encoding), longestDelay)
        let form = StreamFormat(sampleRate: rate, channelMap: .standard(channelCount: channels))
        return try OutputWriter(output, for: .made("microphone"), form: form, broadcast: RecordingBroadcast())
    }

    /// Whether the kernel writes to a pipe of others without waiting: since Linux 6.4.
    private static var kernelWritesAtOnce: Bool {
        let pipe = Pipe()
        let output = OutputPipe(pipe.fileHandleForWriting.fileDescriptor)
        return withUnsafeBytes(of: 0 as UInt8) { output.writeAtOnce($0) }
    }

    @Test(
        "A pipe has what it takes when a write returns, without the thread of its output",
        .enabled(if: kernelWritesAtOnce, "Linux before 6.4"))
    func aPipeIsWrittenAtOnce() async throws {
        let pipe = Pipe()
        let writer = try Self.writer(to: pipe, .s24, channels: 2)
        writer.begin(hostTime: 1)
        try await writer.waitUntilWritten()
        let reader = pipe.fileHandleForReading.fileDescriptor
        _ = fcntl(reader, F_SETFL, O_NONBLOCK)
        // A block is several writes, and no frame ends where a page does.
        let frameCount = 3_001
        for block in 1...200 {
            withBlock([Float](repeating: Float(block) / 256, count: 2 * frameCount), channels: 2) { writer.write($0) }
            var bytes = [UInt8](repeating: 0, count: 6 * frameCount)
            try #require(read(reader, &bytes, bytes.count) == bytes.count, "block \(block)")
            let sample = Int(bytes[0]) | Int(bytes[1]) << 8 | Int(bytes[2]) << 16
            try #require(sample == block << 15, "block \(block)")
        }
        let reports = await writer.finish(serverProcessing: []).value
        #expect(reports.map(\.frameCount) == [200 * frameCount] && reports.map(\.byteCount) == [1_200 * frameCount])
    }

    @Test("Frames written at once and frames that waited are in order, at whatever pace a pipe is read")
    func changingPace() async throws {
        let pipe = Pipe()
        let writer = try Self.writer(to: pipe, .f32)
        let reader = pipe.fileHandleForReading.fileDescriptor
        let reading = Promise<[Float]>()
        Thread.detachNewThread {
            var random = SplitMix64(seed: 50)
            var frames: [Float] = []
            while true {
                var part = [Float](repeating: 0, count: 1 + Int(random.next() % 16_384))
                let count = read(reader, &part, part.count * 4)
                guard count > 0 else { break }
                frames += part.prefix(count / 4)
                if random.next() % 8 == 0 { sched_yield() }
            }
            reading.fulfil(frames)
        }
        for block in 0..<500 {
            withBlock((0..<Self.blockFrames).map { Float(block * Self.blockFrames + $0) }) { writer.write($0) }
        }
        let reports = await writer.finish(serverProcessing: []).value
        try pipe.fileHandleForWriting.close()
        #expect(await reading.value == (0..<500 * Self.blockFrames).map(Float.init))
        #expect(reports.map(\.frameCount) == [500 * Self.blockFrames])
    }

    @Test("With the wait policy a reader receives everything, however much that is")
    func aReaderIsWaitedFor() async throws {
        let outcome = try await outcome(secondsStopped: 100, longestDelay: 2, policy: .wait)
        #expect(outcome.frames == (1...100 * Self.rate).map(Float.init))
        #expect(outcome.report.gaps.isEmpty && outcome.report.failure == nil)
    }

    @Test("With the stop policy an output ends when it is behind, although its reader reads nothing")
    func anOutputStopsWhenItIsBehind() async throws {
        let outcome = try await outcome(secondsStopped: 20, longestDelay: 5, policy: .stop)
        #expect(outcome.report.failure?.failure?.reason == .readerTooSlow)
        // What the pipe held; nothing if the thread had not got that far.
        let counter: [Float] = (0..<outcome.report.frameCount).map { Float($0 + 1) }
        #expect(outcome.frames == counter)
        #expect(outcome.frames.count < 15 * Self.rate && outcome.report.gaps.isEmpty)
    }

    @Test("What an output cannot buffer is announced in advance, counted and located", arguments: [false, true])
    func anOverflowIsAccountedFor(fillsGaps: Bool) async throws {
        let outcome = try await outcome(secondsStopped: 70, blocksAfterwards: 5, fillsGaps: fillsGaps)
        let gap = try #require(outcome.report.gaps.first)
        #expect(outcome.report.gaps.count == 1 && gap.cause == .outputBehind && gap.isFilled == fillsGaps)
        // A minute is buffered, in addition to what the pipe holds.
        #expect(gap.position >= 60 * Self.rate && gap.framesLost <= 10 * Self.rate && gap.framesLost > 0)
        #expect(gap.position + gap.framesLost == 70 * Self.rate)
        let before = (1...gap.position).map(Float.init)
        let silence = [Float](repeating: 0, count: fillsGaps ? gap.framesLost : 0)
        let after = (70 * Self.rate + 1...70 * Self.rate + 5 * Self.blockFrames).map(Float.init)
        #expect(outcome.frames == before + silence + after)
        #expect(outcome.report.frameCount == outcome.frames.count)
        let expected = RecordingWarning.outputBehind(
            "descriptor \(outcome.descriptor)", delay: .seconds(45), limit: .seconds(60), policy: .drop)
        let dropping = RecordingWarning.outputDropping("descriptor \(outcome.descriptor)", limit: .seconds(60))
        #expect(outcome.warnings == [expected, dropping])
    }

    @Test("However short the delay is that an output may have, a reader that keeps up gets everything")
    func shortDelay() async throws {
        let pipe = Pipe()
        let writer = try Self.writer(to: pipe, .f32, longestDelay: .microseconds(100))
        let reading = Promise<Data>()
        Thread.detachNewThread { reading.fulfil((try? pipe.fileHandleForReading.readToEnd()) ?? Data()) }
        for _ in 0..<20 {
            withBlock([Float](repeating: 0.25, count: Self.rate / 25)) { writer.write($0) }
            writer.flush()
            try await writer.waitUntilWritten()
        }
        let reports = await writer.finish(serverProcessing: []).value
        try pipe.fileHandleForWriting.close()
        #expect(reports.first?.gaps.isEmpty == true)
        #expect(await reading.value.count == 20 * Self.rate / 25 * 4)
    }

    @Test(
        "Silence that replaces lost frames counts towards the size of the file before it is written",
        arguments: ["raw", "w64", "caf", "wav"])
    func sizeOfSilence(kind: String) async throws {
        try await TemporaryDirectory.with { directory in
            var output = try RecordingOutput(path: directory.appending(path: "take." + kind).path, encoding: .s16)
            output.longestDelay = .seconds(0.1)
            let context = OutputContext(
                sourceName: "source", sourceDescription: "Source",
                sourceSpec: SampleSpec(format: .s16LE, rate: Self.rate, channels: 1),
                policies: RecordingPolicies(
                    interruptions: InterruptionPolicy(fillsGaps: true), splitting: SplittingPolicy(fileSize: 64 << 10),
                    program: .init(name: "accrec")))
            let form = StreamFormat(sampleRate: Self.rate, channelMap: .standard(channelCount: 1))
            // The output's thread stops where a file begins, and where frames are lost.
            let (begins, mayBegin, loses, mayLose) = (
                Promise<Void>(), Promise<Void>(), Promise<Void>(), Promise<Void>()
            )
            let writer = try OutputWriter(ResolvedOutput(output, from: form, .s16LE), context: context) { notice in
                switch notice {
                case .fileOpened(_, _?):
                    begins.fulfil(())
                    mayBegin.wait()
                case .lost:
                    loses.fulfil(())
                    mayLose.wait()
                default: break
                }
            }
            func write(_ frames: Int) {
                withBlock([Float](repeating: 0.25, count: frames)) { writer.write($0) }
                writer.flush()
            }
            write(Self.blockFrames)
            try await writer.waitUntilWritten()
            writer.startNewFile(hostTime: MonotonicClock.now(), serverProcessing: [])
            await begins.value
            for _ in 0..<10 { write(Self.blockFrames) }
            mayBegin.fulfil(())
            try await writer.waitUntilWritten()
            write(Self.blockFrames)
            await loses.value
            let frames = writer.framesFitting(in: 64 << 10)
            mayLose.fulfil(())
            try await writer.waitUntilWritten()
            for first in stride(from: 0, to: frames, by: Self.blockFrames) {
                write(min(Self.blockFrames, frames - first))
                try await writer.waitUntilWritten()
            }
            let report = try #require(await writer.finish(serverProcessing: []).value.last)
            #expect(report.gaps.map(\.framesLost) == [9 * Self.blockFrames])
            #expect(report.byteCount <= 64 << 10 && report.byteCount > 60 << 10, "\(report.byteCount) bytes")
        }
    }
}
