/// The lowest and highest sample of each channel, in columns that become longer as the recording does.
struct WaveformColumns {
    private let channelCount: Int
    private var grid: ColumnGrid
    /// For each column its channels.
    private var lowest: [Float]
    private var highest: [Float]

    init(channelCount: Int, capacity: Int, expectedFrames: Int) {
        self.channelCount = channelCount
        grid = ColumnGrid(capacity: capacity, expectedFrames: expectedFrames)
        lowest = Array(repeating: .infinity, count: capacity * channelCount)
        highest = Array(repeating: -.infinity, count: capacity * channelCount)
    }

    mutating func append(_ samples: UnsafeBufferPointer<Float>) {
        var rest = samples
        while rest.count >= channelCount {
            if grid.isFull { merge() }
            let frames = min(grid.framesToNextColumn, rest.count / channelCount)
            add(UnsafeBufferPointer(rebasing: rest[..<(frames * channelCount)]), to: grid.column * channelCount)
            grid.advance(by: frames)
            rest = UnsafeBufferPointer(rebasing: rest[(frames * channelCount)...])
        }
    }

    /// Comparisons with what is no number are false, so such a sample changes nothing.
    private mutating func add(_ samples: UnsafeBufferPointer<Float>, to first: Int) {
        for channel in 0..<channelCount {
            var (low, high) = (lowest[first + channel], highest[first + channel])
            var index = channel
            while index < samples.count {
                let sample = samples[index]
                low = sample < low ? sample : low
                high = sample > high ? sample : high
                index += channelCount
            }
            (lowest[first + channel], highest[first + channel]) = (low, high)
        }
    }

    private mutating func merge() {
        for column in 0..<grid.capacity {
            for channel in 0..<channelCount {
                let (one, other) = (2 * column * channelCount + channel, (2 * column + 1) * channelCount + channel)
                let target = column * channelCount + channel
                let hasOther = 2 * column + 1 < grid.capacity
                let isEmpty = 2 * column >= grid.capacity
                lowest[target] = isEmpty ? .infinity : min(lowest[one], hasOther ? lowest[other] : .infinity)
                highest[target] = isEmpty ? -.infinity : max(highest[one], hasOther ? highest[other] : -.infinity)
            }
        }
        grid.merge()
    }

    var waveform: Waveform {
        let channels = (0..<channelCount).map { channel in
            (0..<grid.columnCount).map { column -> ClosedRange<Float> in
                let (low, high) = (lowest[column * channelCount + channel], highest[column * channelCount + channel])
                return low <= high ? low...high : 0...0
            }
        }
        return Waveform(framesPerColumn: grid.framesPerColumn, channels: channels)
    }
}
