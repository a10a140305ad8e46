/// The newest samples of each channel, side by side in memory, and those of the slot that is being filled.
struct SignalHistory: ~Copyable {
    /// How many frames before a slot can be read: more than a spectrum has, and than the buffers that may be repeated.
    private let kept: Int
    private let slotFrames: Int
    private let capacity: Int
    private let channelCount: Int
    private let samples: UnsafeMutableBufferPointer<Float>
    /// Where the current slot begins.
    private var start: Int
    /// How many frames of the current slot are there.
    private(set) var frameCount = 0

    init(channelCount: Int, slotFrames: Int, kept: Int) {
        (self.channelCount, self.slotFrames, self.kept) = (channelCount, slotFrames, kept)
        capacity = kept + max(kept, 2 * slotFrames)
        samples = .allocate(capacity: capacity * channelCount)
        samples.initialize(repeating: 0)
        start = kept
    }

    deinit { samples.deallocate() }

    /// Copies frames into the slot.
    ///
    /// - Returns: How many frames were copied, up to the end of the slot.
    mutating func fill(_ interleaved: UnsafePointer<Float>, count: Int) -> Int {
        let count = min(count, slotFrames - frameCount)
        let target = samples.baseAddress! + start + frameCount
        let paired = channelCount == 2 ? Self.separate(interleaved, count, target, target + capacity) : 0
        for channel in 0..<channelCount {
            for index in paired..<count {
                target[channel * capacity + index] = interleaved[index * channelCount + channel]
            }
        }
        frameCount += count
        return count
    }

    /// Copies stereo frames, four at once.
    ///
    /// - Returns: How many frames were copied.
    private static func separate(
        _ interleaved: UnsafePointer<Float>, _ count: Int, _ left: UnsafeMutablePointer<Float>,
        _ right: UnsafeMutablePointer<Float>
    ) -> Int {
        var index = 0
        while index + 4 <= count {
            let frames = UnsafeRawPointer(interleaved + 2 * index).loadUnaligned(as: SIMD8<Float>.self)
            UnsafeMutableRawPointer(left + index).storeBytes(of: frames.evenHalf, as: SIMD4<Float>.self)
            UnsafeMutableRawPointer(right + index).storeBytes(of: frames.oddHalf, as: SIMD4<Float>.self)
            index &+= 4
        }
        return index
    }

    var isFull: Bool { frameCount == slotFrames }

    /// The frames of the slot, with the kept ones before them.
    var slot: PlanarFrames {
        PlanarFrames(
            base: UnsafePointer(samples.baseAddress! + start), stride: capacity, channelCount: channelCount,
            frameCount: frameCount, history: kept)
    }

    /// Replaces samples of the slot that are not finite by zeros, and those beyond 80 dB over full scale by such.
    ///
    /// - Returns: How many were replaced.
    mutating func replaceInvalid(channel: Int) -> Int {
        var count = 0
        for index in channel * capacity + start..<channel * capacity + start + frameCount {
            let sample = samples[index]
            guard !(abs(sample) <= 1e4) else { continue }
            samples[index] = sample.isNaN || sample.isInfinite ? 0 : sample < 0 ? -1e4 : 1e4
            count += 1
        }
        return count
    }

    /// Begins the next slot behind the current one.
    mutating func advance() {
        start += frameCount
        frameCount = 0
        guard start + slotFrames > capacity else { return }
        for channel in 0..<channelCount {
            let base = samples.baseAddress! + channel * capacity
            base.update(from: base + (start - kept), count: kept)
        }
        start = kept
    }
}
