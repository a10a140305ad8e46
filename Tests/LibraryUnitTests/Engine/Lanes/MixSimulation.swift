import Foundation
import TestSupport
import Testing

@testable import ACCAudioRecorder

/// Several inputs with clocks of their own, of which a mixer makes one stream; all by a time that the test moves.
///
/// Each input captures the same tone, so that the phases of the stream's channels tell how far they are apart. In a group, each
/// has a tone of its own.
final class MixSimulation {
    /// An input's end of its ring.
    final class Input: CaptureInput {
        let source: AudioSource
        let ring: CaptureRing
        let isOpen = true
        let streamIndex: UInt32? = nil
        let sinkIndex: UInt32?

        init(_ ring: CaptureRing, sink: UInt32, _ spec: SampleSpec = MixSimulation.spec) {
            self.ring = ring
            sinkIndex = sink
            source = AudioSource(name: "input", sampleSpec: spec)
        }

        func waitUntilOpen() async throws(ACCAudioRecorderError) {}
        func begin() {}
        func stop(_ stop: CaptureStop) async {}
    }

    /// A device: its clock, and how it delivers.
    struct Device {
        /// By how many seconds its clock loses in a second.
        var drift = 0.0
        /// How long its fragments take from their end to their arrival, in seconds, and by how much more at random.
        var latency = 0.02
        var jitter = 0.004
        /// By how much the stated capture times are off at random, in seconds.
        var misstatement = 0.004
        /// What a server states that its source keeps, in seconds; nil for one that states only a sum.
        var sourceLatency: Double?
        /// When it begins, in seconds.
        var begin = 0.0
        /// The sink that it plays to, in a group.
        var sink: UInt32 = 0
        /// How many seconds later it is to be placed.
        var delay = 0.0
        /// Whether its clock is the first one's.
        var sharesClock = false
    }

    static let spec = SampleSpec(format: .float32LE, sampleRate: 8_000, channelCount: 1)
    static let fragment = 0.04
    /// Not a divisor of the losses, whose periods would hide them.
    private static let tones = [47.0, 83, 131]
    private let isGroup: Bool
    private let peak: Double
    /// CLOCK_MONOTONIC at the beginning, in seconds.
    private static let start = 1_000.0
    private static let tick = 0.01

    let mixer: LaneMixer
    private let ring: CaptureRing
    private let devices: [Device]
    private var writers: [FragmentWriterBox]
    private var times: [Double]
    private var arrivals: [Double]
    private var random = SplitMix64(seed: 7)
    private(set) var now = 0.0
    /// The samples of each channel of the stream, and the other items, each with the number of frames before it.
    private(set) var channels: [[Float]]
    private(set) var items: [(frame: Int, item: CaptureItem)] = []
    private(set) var stamps: [FragmentStamp] = []

    /// A writer, or nothing while the device is away.
    private final class FragmentWriterBox {
        var writer: FragmentWriter?
        init() {}
    }

    /// - Parameter isGroup: Whether the inputs are streams of one application, which join when they begin.
    /// - Parameters:
    ///   - format: That of the stream: 32-bit floats, or 16 bits.
    ///   - peak: The tones' peak, with full scale at 1.
    ///   - absent: The devices that are not opened yet.
    init(
        _ devices: [Device], isGroup: Bool = false, format: SampleFormat = .float32LE, peak: Double = 0.5,
        absent: Set<Int> = []
    ) throws {
        self.peak = peak
        self.devices = devices
        self.isGroup = isGroup
        let form = StreamFormat(sampleRate: 8_000, channelMap: .standard(channelCount: 1))
        let lanes = devices.enumerated().map { number, device in
            Lane(
                number: number, form: form, quality: .fastest, delay: device.delay, sharesClock: device.sharesClock)
        }
        let channelCount = isGroup ? 1 : devices.count
        let streamSpec = SampleSpec(format: format, rate: 8_000, channels: channelCount)
        let writer = try FragmentWriter(streamSpec, fragmentFrames: 320, start: .atOnce)
        ring = writer.ring
        mixer = LaneMixer(isGroup ? [] : lanes, isGroup ? .sum : .stack, as: streamSpec, writer: writer)!
        writers = devices.map { _ in FragmentWriterBox() }
        times = devices.map(\.begin)
        arrivals = devices.map { _ in 0 }
        channels = Array(repeating: [], count: channelCount)
        for number in devices.indices where !absent.contains(number) && (!isGroup || devices[number].begin == 0) {
            try open(number)
        }
    }

    /// What happened since the first frame. Until then the stream only says that it will come.
    var events: [(frame: Int, item: CaptureItem)] { items.filter { $0.frame > 0 } }

    /// The number of frames of the stream so far.
    var frameCount: Int { channels[0].count }

    /// Opens the input of a device, which captures from now on.
    func open(_ number: Int, after interruption: RecordingInterruption? = nil) throws {
        let writer = try FragmentWriter(Self.spec, fragmentFrames: 320, start: .atOnce)
        let form = StreamFormat(sampleRate: 8_000, channelMap: .standard(channelCount: 1))
        let input = Input(writer.ring, sink: devices[number].sink)
        if isGroup {
            mixer.join(input, quality: .fastest)
        } else {
            // Its thread waits for that.
            #expect(mixer.lanes[number].ring == nil)
            mixer.lanes[number].open(input, as: form, after: interruption)
        }
        writers[number].writer = consume writer
        times[number] = max(times[number], now)
    }

    /// Ends the input of a device.
    func close(_ number: Int, _ end: CaptureEnd) {
        writers[number].writer?.close(end)
        writers[number].writer = nil
    }

    /// Loses what a device captures in the next seconds, without telling.
    func lose(_ seconds: Double, of number: Int) {
        times[number] += seconds
    }

    /// Stops the server, which loses a length of each device, and delivers the rest of the time afterwards.
    func stop(for seconds: Double, losing lost: [Double]) {
        stopEnd = now + seconds
        for number in devices.indices { lose(lost[number], of: number) }
    }

    /// Writes an item other than a fragment into the ring of an input.
    func append(_ item: CaptureItem, to number: Int) {
        writers[number].writer?.append(item)
    }

    /// Until when nothing is delivered, in seconds.
    private var stopEnd = 0.0

    /// By how much later each device delivers than it did at first, in seconds, which its server states.
    var delays: [Int: Double] = [:]

    /// By how much what each device delivers is late for now, in seconds, which its server does not state.
    var lateness: [Int: Double] = [:]

    /// Whether an input captures nothing for now.
    var isPaused: Set<Int> = []

    /// Lets time pass.
    func run(for seconds: Double) throws {
        let end = now + seconds
        while now < end {
            now += Self.tick
            for number in devices.indices {
                if isGroup, devices[number].begin > now - Self.tick, devices[number].begin <= now { try open(number) }
                deliver(number)
            }
            while try mixer.run(at: Self.nanoseconds(now)) {}
            read()
        }
    }

    /// Stops the program that records, which then reads what has arrived, of one device after the other.
    ///
    /// - Parameter order: Of the devices.
    func stopProgram(for seconds: Double, reading order: [Int]) throws {
        now += seconds
        stopEnd = now
        for number in order {
            deliver(number)
            while try mixer.run(at: Self.nanoseconds(now)) {}
            read()
            now += Self.tick
        }
    }

    /// Ends all inputs, and the stream.
    func finish() throws {
        for number in devices.indices { close(number, .stopped) }
        mixer.end(at: .max)
        repeat { read() } while try mixer.run(at: Self.nanoseconds(now))
        // Its thread waits for that.
        #expect(mixer.hasEnded || mixer.isComplete)
        try mixer.close(.stopped)
        read()
    }

    private func deliver(_ number: Int) {
        guard now >= stopEnd else { return }
        var device = devices[number]
        device.latency += delays[number] ?? 0
        device.sourceLatency = device.sourceLatency.map { $0 + (delays[number] ?? 0) }
        if isPaused.contains(number) { times[number] = max(times[number], now) }
        let tone = Self.tones[isGroup ? number : 0]
        let length = Self.fragment * (1 + device.drift)
        while writers[number].writer != nil, times[number] + length + device.latency + device.jitter <= now {
            let first = times[number]
            let frame = length / 320
            var samples = Signal.sine(frequency: tone, peak: peak, from: first, frameLength: frame, frames: 320)
            let late = device.jitter * pow(Double.random(in: 0...1, using: &random), 3) + (lateness[number] ?? 0)
            arrivals[number] = max(arrivals[number], stopEnd, first + length + device.latency + late)
            let stated = first + .random(in: 0...device.misstatement, using: &random)
            let stamp = FragmentStamp(
                hostTime: Self.nanoseconds(stated), sourceLatency: device.sourceLatency.map { Int64($0 * 1e9) },
                arrivalTime: Self.nanoseconds(arrivals[number]))
            samples.withUnsafeMutableBytes { bytes in
                _ = writers[number].writer?.write(UnsafeRawBufferPointer(bytes), stamp)
            }
            times[number] += length
        }
    }

    private func read() {
        while ring.count > 0 {
            ring.remove { item, bytes in
                guard let stamp = item.stamp else {
                    items.append((frameCount, item))
                    return
                }
                stamps.append(stamp)
                let samples =
                    mixer.spec.format == .s16LE
                    ? Signal.float(Array(bytes.bindMemory(to: Int16.self))[...])
                    : Array(bytes.bindMemory(to: Float.self))
                Signal.append(interleaved: samples, to: &channels)
            }
        }
    }

    private static func nanoseconds(_ time: Double) -> UInt64 { UInt64((start + time) * 1e9) }
}

extension MixSimulation {
    /// By how many seconds an input is later than the first in half a second of the stream, at most half a period of its tone.
    func offset(of input: Int, at second: Double) -> Double {
        remainder(delay(of: input, at: second) - delay(of: 0, at: second), 1 / Self.tones[isGroup ? input : 0])
    }

    /// By how many seconds an input's tone is later than it was captured, by the first one's clock, in half a second of the
    /// stream, at most half a period.
    func delay(of input: Int, at second: Double) -> Double {
        let frames = Int(second * 8_000)..<Int((second + 0.5) * 8_000)
        let (tone, channel) = isGroup ? (Self.tones[input], 0) : (Self.tones[0], input)
        return Signal.delay(ofSine: tone, in: channels[channel], frames, rate: 8_000)
    }

    /// The largest offset in a time of the stream, in seconds.
    func largestOffset(of input: Int, from: Double, to: Double) -> Double {
        stride(from: from, to: to - 0.5, by: 0.5).map { abs(offset(of: input, at: $0)) }.max() ?? .infinity
    }

    /// What is told to be missing, in seconds.
    var missing: [(seconds: Double, end: Double, loss: InputLoss)] {
        items.compactMap { frame, item in
            guard case .partMissing(let frames, let end, let tag) = item else { return nil }
            return (Double(frames) / 8_000, Double(frame + end) / 8_000, InputLoss(tag: tag))
        }
    }

    /// The losses of an input: their lengths and ends in seconds, and their causes.
    func losses(of input: Int) -> [(seconds: Double, end: Double, cause: RecordingGap.Cause)] {
        missing.filter { $0.loss.input == input && !$0.loss.isOpen }.map { ($0.seconds, $0.end, $0.loss.cause) }
    }

    /// Where an input is told to be missing from, in seconds, and why.
    func absences(of input: Int) -> [(begin: Double, cause: RecordingGap.Cause)] {
        missing.filter { $0.loss.input == input && $0.loss.isOpen }.map { ($0.end, $0.loss.cause) }
    }
}
