/// Measures the level of a source in consecutive windows of 10 ms, for a sound gate.
struct WindowMeter: ~Copyable {
    /// The level of a window.
    struct Window: Equatable {
        /// Its frames, counted from the first that was measured.
        let frames: Range<Int>
        /// Its level in dBFS, at least -120.
        let level: Double
    }

    private let windowFrames: Int
    private let channelCount: Int
    private let channels: SoundPolicy.Channels
    private var decoder: FragmentDecoder
    private var meter: LevelMeter
    /// The number of frames measured before the current window, and of those in it.
    private var framesBefore = 0
    private var framesInWindow = 0

    /// - Parameters:
    ///   - spec: The source's sample spec.
    ///   - selectedChannels: The channels to measure, counted from 1; empty for all.
    ///   - channels: How the level of a window is computed from those of its channels.
    init(_ spec: SampleSpec, selectedChannels: [Int], channels: SoundPolicy.Channels) {
        windowFrames = Self.windowFrames(atRate: spec.sampleRate)
        channelCount = selectedChannels.isEmpty ? spec.channelCount : selectedChannels.count
        self.channels = channels
        decoder = FragmentDecoder(spec, selectedChannels: selectedChannels)
        meter = LevelMeter(channelCount: channelCount, clipThreshold: .infinity)
    }

    /// The length of a window in frames.
    static func windowFrames(atRate sampleRate: Int) -> Int { max(sampleRate / 100, 1) }

    /// Measures frames of a fragment, and returns the windows that they complete.
    mutating func measure(_ frames: Range<Int>, of fragment: UnsafeRawBufferPointer) -> [Window] {
        var windows: [Window] = []
        var rest = frames
        while !rest.isEmpty {
            let block = decoder.decode(&rest, of: fragment)
            var first = 0
            while first < block.frameCount {
                let part = block.part(from: first, frames: windowFrames - framesInWindow)
                meter.measure(part)
                first += part.frameCount
                framesInWindow += part.frameCount
                if framesInWindow == windowFrames { windows.append(endWindow()) }
            }
        }
        return windows
    }

    private mutating func endWindow() -> Window {
        let levels = (0..<channelCount).map { meter.level(of: $0) }
        let level: Float
        switch channels {
        case .any: level = levels.map(\.rmsDecibels).max() ?? Decibels.floor
        case .all: level = levels.reduce(into: ChannelLevel()) { $0.add($1) }.rmsDecibels
        }
        defer {
            framesBefore += windowFrames
            framesInWindow = 0
            meter.reset()
        }
        return Window(frames: framesBefore..<framesBefore + windowFrames, level: Double(level))
    }
}
