/// What a picture of a recording shows: its waveform, and a coarse spectrogram.
///
/// It is fed the recording from its beginning and needs no length in advance. Both parts have columns of equal length, and when
/// they are full, two neighbours become one: so memory is bounded, whatever the length. Use it from one thread at a time.
public struct TakeOverview: ~Copyable {
    /// How many columns and bands there are at most.
    public struct Detail: Sendable, Hashable {
        /// Columns of the waveform, at least 2.
        public let waveformColumns: Int
        /// Columns of the spectrogram, at least 2; 0 for no spectrogram.
        public let spectrogramColumns: Int
        /// Bands of the spectrogram, at least 1.
        public let bands: Int

        /// Creates a detail; smaller numbers are raised to the least ones.
        public init(waveformColumns: Int, spectrogramColumns: Int, bands: Int) {
            self.waveformColumns = max(waveformColumns, 2)
            self.spectrogramColumns = spectrogramColumns > 0 ? max(spectrogramColumns, 2) : 0
            self.bands = max(bands, 1)
        }
    }

    private var waveformColumns: WaveformColumns
    private var spectrogramColumns: SpectrogramColumns?

    /// Creates an overview of no frame.
    ///
    /// - Parameters:
    ///   - channelCount: At least 1.
    ///   - sampleRate: In Hz, 1 to 1,000,000; others are taken as the nearest of these.
    ///   - detail: How many columns and bands there are at most.
    ///   - expectedFrames: The number of frames that the recording probably has, so that all columns are used; nil or 0 if
    ///     unknown. A wrong number costs detail, not truth.
    public init(channelCount: UInt32, sampleRate: Double, detail: Detail, expectedFrames: Int? = nil) {
        let frames = max(expectedFrames ?? 0, 0)
        waveformColumns = WaveformColumns(
            channelCount: Int(channelCount), capacity: detail.waveformColumns, expectedFrames: frames)
        spectrogramColumns =
            detail.spectrogramColumns == 0
            ? nil
            : SpectrogramColumns(
                channelCount: Int(channelCount), sampleRate: min(max(1, sampleRate), 1_000_000),
                capacity: detail.spectrogramColumns,
                bandCount: detail.bands, expectedFrames: frames)
    }

    /// Adds the frames that follow. Allocates nothing.
    ///
    /// - Parameter samples: Whole frames, interleaved, full scale at ±1. Samples that are no numbers are left out.
    public mutating func append(_ samples: UnsafeBufferPointer<Float>) {
        waveformColumns.append(samples)
        spectrogramColumns?.append(samples)
    }

    /// The waveform of the frames so far.
    public var waveform: Waveform { waveformColumns.waveform }

    /// The spectrogram of the frames so far; nil if none was asked for, or there is no frame.
    public var spectrogram: Spectrogram? {
        switch spectrogramColumns {
        case .some(let columns): columns.spectrogram
        case nil: nil
        }
    }
}

/// The lowest and highest sample in each of many short stretches of a recording.
public struct Waveform: Sendable, Hashable {
    /// The number of frames of a column; the last one may have fewer.
    public let framesPerColumn: Int
    /// For each channel its columns, full scale at ±1.
    public let channels: [[ClosedRange<Float>]]

    /// Creates a waveform.
    public init(framesPerColumn: Int, channels: [[ClosedRange<Float>]]) {
        (self.framesPerColumn, self.channels) = (framesPerColumn, channels)
    }
}

/// How strong each band of frequencies is in each of many stretches of a recording.
public struct Spectrogram: Sendable, Hashable {
    /// The number of frames of a column; the last one may have fewer.
    public let framesPerColumn: Int
    /// The lower edge of the lowest band and the upper edge of the highest one, in Hz. Bands are equally wide on a logarithmic
    /// scale.
    public let frequencies: ClosedRange<Double>
    /// For each column its bands, from the lowest on: the level of a sine in dBFS that would be as strong as the strongest
    /// frequency of the band; -infinity for digital silence.
    public let columns: [[Float]]

    /// Creates a spectrogram.
    public init(framesPerColumn: Int, frequencies: ClosedRange<Double>, columns: [[Float]]) {
        (self.framesPerColumn, self.frequencies, self.columns) = (framesPerColumn, frequencies, columns)
    }
}

/// Where frames belong in a bounded number of columns of equal length. When all columns are full, each two become one.
struct ColumnGrid: Hashable {
    let capacity: Int
    private(set) var framesPerColumn: Int
    /// The number of frames so far.
    private(set) var frameCount = 0

    /// - Parameters:
    ///   - capacity: At least 2.
    ///   - shortest: The length that a column has at least, in frames.
    ///   - expectedFrames: The number of frames that probably come; 0 if unknown.
    init(capacity: Int, shortest: Int = 1, expectedFrames: Int) {
        self.capacity = capacity
        let frames = min(expectedFrames, Self.mostExpected)
        framesPerColumn = max(frames / capacity + (frames % capacity == 0 ? 0 : 1), shortest, 1)
    }

    /// A damaged header may state any number, and columns of that length would never be full.
    private static let mostExpected = 1 << 48

    /// The number of columns that have a frame.
    var columnCount: Int { frameCount / framesPerColumn + (frameCount % framesPerColumn == 0 ? 0 : 1) }

    /// Whether the next frame needs a column more than there are. Then halve the columns, and call `merge`.
    var isFull: Bool { frameCount == framesPerColumn * capacity }

    /// Doubles the length of the columns.
    mutating func merge() { framesPerColumn *= 2 }

    /// The column of the next frame.
    var column: Int { frameCount / framesPerColumn }

    /// How many frames that column has so far, and how many it still lacks.
    var framesInColumn: Int { frameCount % framesPerColumn }
    var framesToNextColumn: Int { framesPerColumn - framesInColumn }

    mutating func advance(by frames: Int) { frameCount += frames }
}

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
