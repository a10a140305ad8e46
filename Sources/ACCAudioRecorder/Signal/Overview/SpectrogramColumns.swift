import Glibc

/// The power of bands of frequencies, in columns that become longer as the recording does.
///
/// Windows are spread over each column, and the mean power of all channels is taken, so that two of opposite polarity do not
/// cancel out. A long column is sampled: a picture of hours costs as much as one of minutes.
struct SpectrogramColumns: ~Copyable {
    /// Windows of a column at most: more change no cell by a step of its colour.
    private static let mostWindows = 16
    /// The lowest frequency shown, in Hz: below it are rumble and offset.
    private static let lowest = 30.0

    private let channelCount: Int
    private let bandCount: Int
    private let spectrum: PowerSpectrum
    /// Where each band begins, as a bin of the spectrum, and at the end where the last one ends.
    private let edges: [Int]
    private let frequencies: ClosedRange<Double>
    private var grid: ColumnGrid
    /// For each column the sum of the powers of each band, and the number of windows in it.
    private var powers: [Float]
    private var counts: [Int]
    /// The samples of the window that is being filled, one channel after another.
    private var window: [Float]
    private var framesInWindow = 0
    /// The frames that are left out before the next window.
    private var framesToSkip = 0

    init(channelCount: Int, sampleRate: Double, capacity: Int, bandCount: Int, expectedFrames: Int) {
        (self.channelCount, self.bandCount) = (channelCount, bandCount)
        let size = Self.windowSize(sampleRate: sampleRate)
        spectrum = PowerSpectrum(length: size)
        let highest = max(sampleRate / 2, Self.lowest * 2)
        frequencies = Self.lowest...highest
        let binWidth = max(sampleRate, 1) / Double(size)
        edges = (0...bandCount).map { band in
            let frequency = Self.lowest * pow(highest / Self.lowest, Double(band) / Double(bandCount))
            return min(Int((frequency / binWidth).rounded()), size / 2)
        }
        grid = ColumnGrid(capacity: capacity, shortest: size, expectedFrames: expectedFrames)
        powers = Array(repeating: 0, count: capacity * bandCount)
        counts = Array(repeating: 0, count: capacity)
        window = Array(repeating: 0, count: size * channelCount)
    }

    /// Some 40 ms, as an ear resolves time and pitch alike: a power of two.
    private static func windowSize(sampleRate: Double) -> Int {
        var size = 256
        while size < 16_384, Double(size * 32) < sampleRate { size *= 2 }
        return size
    }

    mutating func append(_ samples: UnsafeBufferPointer<Float>) {
        var frame = 0
        let frames = samples.count / channelCount
        while frame < frames {
            if grid.isFull { merge() }
            var count = min(frames - frame, grid.framesToNextColumn)
            if framesToSkip > 0 {
                count = min(count, framesToSkip)
                framesToSkip -= count
            } else {
                count = min(count, spectrum.length - framesInWindow)
                fill(samples, from: frame, count: count)
            }
            let column = grid.column
            grid.advance(by: count)
            frame += count
            if framesInWindow == spectrum.length { finishWindow(in: column) }
        }
    }

    private mutating func fill(_ samples: UnsafeBufferPointer<Float>, from frame: Int, count: Int) {
        for channel in 0..<channelCount {
            let target = channel * spectrum.length + framesInWindow
            for index in 0..<count {
                let sample = samples[(frame + index) * channelCount + channel]
                window[target + index] = sample.isFinite ? sample : 0
            }
        }
        framesInWindow += count
    }

    /// Adds the window to the column in which it ends.
    private mutating func finishWindow(in column: Int) {
        for channel in 0..<channelCount {
            window.withUnsafeBufferPointer { spectrum.analyse($0.baseAddress! + channel * spectrum.length) }
            for band in 0..<bandCount {
                let bins = edges[band]..<max(edges[band + 1], edges[band] + 1)
                let highest = spectrum.powers[bins].max() ?? 0
                powers[column * bandCount + band] += highest / Float(channelCount)
            }
        }
        counts[column] += 1
        framesInWindow = 0
        framesToSkip = max(grid.framesPerColumn / Self.mostWindows - spectrum.length, 0)
    }

    private mutating func merge() {
        let pairs = (grid.capacity + 1) / 2
        for column in 0..<grid.capacity {
            let parts = [2 * column, 2 * column + 1].filter { column < pairs && $0 < grid.capacity }
            for band in 0..<bandCount {
                powers[column * bandCount + band] = parts.reduce(0) { $0 + powers[$1 * bandCount + band] }
            }
            counts[column] = parts.reduce(0) { $0 + counts[$1] }
        }
        grid.merge()
    }

    /// A column without a window of its own, such as a short last one, is as the one before it.
    var spectrogram: Spectrogram? {
        guard counts.contains(where: { $0 > 0 }) else { return nil }
        var columns: [[Float]] = []
        for column in 0..<grid.columnCount {
            let bands = (0..<bandCount).map { powers[column * bandCount + $0] / Float(counts[column]) }
            let silence = [Float](repeating: -.infinity, count: bandCount)
            columns.append(counts[column] == 0 ? columns.last ?? silence : bands.map { 10 * log10($0) })
        }
        return Spectrogram(framesPerColumn: grid.framesPerColumn, frequencies: frequencies, columns: columns)
    }
}
