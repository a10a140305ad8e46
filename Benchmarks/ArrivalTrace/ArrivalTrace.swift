import FoundationEssentials
import Glibc

@testable import ACCAudioRecorder

/// Prints when the fragments of a source arrive, and which frames are missing: `scripts/record-arrival-traces` runs it.
///
/// The source gives a counter of 32 bits, one number a frame: its lower half in the first of two channels. Where it jumps, frames are missing.
/// With `asked`, the server is asked for its timing with each fragment, as it is for one of several sources.
@main
enum ArrivalTrace {
    static func main() async throws {
        let options = CommandLine.arguments.dropFirst(3)
        guard CommandLine.arguments.count >= 3, let seconds = Double(CommandLine.arguments[2]),
            options.isEmpty || Array(options) == ["asked"]
        else {
            fail("usage: ArrivalTrace SOURCE SECONDS [asked]")
        }
        let connection = try await PulseBackend(serverName: nil).connect()
        // The changes that the server announces are counted from here on.
        try await connection.observe { _ in }
        let catalog = try await connection.sourceCatalog()
        guard let source = catalog.sources.first(where: { $0.name == CommandLine.arguments[1] }),
            source.sampleSpec.channels == 2, [.s16LE, .float32LE].contains(source.sampleSpec.format)
        else {
            fail("ArrivalTrace: no such source, or not two channels of s16le or float32le")
        }
        let rate = source.sampleSpec.rate
        let settings = CaptureSettings(
            streamProperties: [:], fragmentFrames: rate / 25, api: .asynchronous, asksForTiming: !options.isEmpty)
        let input = try connection.open(source, settings, start: .atOnce)
        try await input.waitUntilOpen()
        let trace = Promise<Trace>()
        try DetachedThread.start("trace") {
            trace.fulfil(
                Trace(
                    from: input.ring, source.sampleSpec, frames: Int(seconds * Double(rate)),
                    skipsSilence: options.isEmpty))
        }
        let recorded = await trace.value
        await input.stop(.now)
        recorded.write(source.sampleSpec)
    }
}

private func fail(_ message: String) -> Never {
    _ = (message + "\n").withCString { write(STDERR_FILENO, $0, strlen($0)) }
    exit(EXIT_FAILURE)
}

/// What came out of a ring.
private struct Trace {
    private struct Loss {
        /// After how many frames of the trace.
        var frame: Int
        var frames: Int
    }

    private var stamps: [FragmentStamp] = []
    /// The counter's number of the first frame of each fragment; 0 where it is silent.
    private var firstNumbers: [UInt32] = []
    private var losses: [Loss] = []
    private var frameCount = 0
    private var lastNumber: UInt32 = 0

    /// Takes so many frames, or those from the first on that the counter has.
    init(from ring: CaptureRing, _ spec: SampleSpec, frames: Int, skipsSilence: Bool) {
        while frameCount < frames, ring.wait(for: 1) == .ready {
            ring.remove { item, bytes in
                guard case .fragment(let stamp) = item else {
                    fail("ArrivalTrace: \(item)")
                }
                let numbers = Self.numbers(in: bytes, spec)
                guard !skipsSilence || frameCount > 0 || numbers.first != 0 else { return }
                stamps.append(stamp)
                firstNumbers.append(numbers.first ?? 0)
                for number in numbers { append(number) }
            }
        }
    }

    private static func numbers(in bytes: UnsafeRawBufferPointer, _ spec: SampleSpec) -> [UInt32] {
        guard spec.format == .float32LE else { return Array(bytes.bindMemory(to: UInt32.self)) }
        let samples = bytes.bindMemory(to: Float.self)
        return stride(from: 0, to: samples.count, by: 2).map { index in
            let words = [samples[index], samples[index + 1]].map { UInt32(UInt16(bitPattern: Int16($0 * 32_768))) }
            return words[0] | words[1] << 16
        }
    }

    private mutating func append(_ number: UInt32) {
        let missing = Int(number) - Int(lastNumber) - 1
        // The player is late: the source itself is silent.
        guard number != 0 else {
            frameCount += 1
            return
        }
        if lastNumber != 0, missing != 0, missing > 0 || -missing > 48_000 {
            if let last = losses.last, frameCount - last.frame < 9_600 {
                losses[losses.count - 1].frames += missing
                losses[losses.count - 1].frame = frameCount
            } else {
                losses.append(Loss(frame: frameCount, frames: missing))
            }
        }
        lastNumber = number
        frameCount += 1
    }

    /// Times are in microseconds since the first frame was captured, as the server stated it then.
    func write(_ spec: SampleSpec) {
        let isAsked = stamps.first?.isAsked ?? false
        let (rate, bytesPerFrame) = (spec.rate, spec.bytesPerFrame)
        print("rate \(rate)")
        print("fragment \(rate / 25)")
        for loss in losses { print("loss \(loss.frame) \(loss.frames)") }
        let start = Int64(stamps.first?.hostTime ?? 0)
        // So that the traces of several sources of one sink can be compared.
        if isAsked { print("start \(start / 1_000)") }
        print("# captured arrived frames changes kept" + (isAsked ? " number" : ""))
        for (stamp, number) in zip(stamps, firstNumbers) {
            let frames = stamp.byteCount / bytesPerFrame
            let captured = (Int64(stamp.hostTime) - start) / 1_000
            let arrived = (Int64(stamp.arrivalTime) - start) / 1_000
            let kept = Int((stamp.keptLength * 1e6).rounded())
            let columns = [captured, arrived, Int64(frames), Int64(stamp.changeCount), Int64(kept)]
            print((isAsked ? columns + [Int64(number)] : columns).map(String.init).joined(separator: " "))
        }
    }
}
