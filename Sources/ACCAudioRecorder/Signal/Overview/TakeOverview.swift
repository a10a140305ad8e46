/// What a picture of a recording shows: its waveform, and a coarse spectrogram.
///
/// It is fed the recording from its beginning and needs no length in advance. Both parts have columns of equal length, and when
/// they are full, two neighbours become one: so memory is bounded, whatever the length. Use it from one thread at a time.
package struct TakeOverview: ~Copyable {
    /// How many columns and bands there are at most.
    package struct Detail: Sendable, Hashable {
        /// Columns of the waveform, at least 2.
        package let waveformColumns: Int
        /// Columns of the spectrogram, at least 2; 0 for no spectrogram.
        package let spectrogramColumns: Int
        /// Bands of the spectrogram, at least 1.
        package let bands: Int

        package init(waveformColumns: Int, spectrogramColumns: Int, bands: Int) {
            self.waveformColumns = max(waveformColumns, 2)
            self.spectrogramColumns = spectrogramColumns > 0 ? max(spectrogramColumns, 2) : 0
            self.bands = max(bands, 1)
        }
    }

    private var waveformColumns: WaveformColumns
    private var spectrogramColumns: SpectrogramColumns?

    /// - Parameters:
    ///   - channelCount: At least 1.
    ///   - sampleRate: In Hz.
    ///   - expectedFrames: The number of frames that the recording probably has, so that all columns are used; nil or 0 if
    ///     unknown. A wrong number costs detail, not truth.
    package init(channelCount: Int, sampleRate: Int, detail: Detail, expectedFrames: Int? = nil) {
        let frames = max(expectedFrames ?? 0, 0)
        waveformColumns = WaveformColumns(
            channelCount: channelCount, capacity: detail.waveformColumns, expectedFrames: frames)
        spectrogramColumns =
            detail.spectrogramColumns == 0
            ? nil
            : SpectrogramColumns(
                channelCount: channelCount, sampleRate: sampleRate, capacity: detail.spectrogramColumns,
                bandCount: detail.bands, expectedFrames: frames)
    }

    /// Adds the frames that follow. Allocates nothing.
    ///
    /// - Parameter samples: Whole frames, interleaved, full scale at ±1. Samples that are no numbers are left out.
    package mutating func append(_ samples: UnsafeBufferPointer<Float>) {
        waveformColumns.append(samples)
        spectrogramColumns?.append(samples)
    }

    /// The waveform of the frames so far.
    package var waveform: Waveform { waveformColumns.waveform }

    /// The spectrogram of the frames so far; nil if none was asked for, or there is no frame.
    package var spectrogram: Spectrogram? {
        switch spectrogramColumns {
        case .some(let columns): columns.spectrogram
        case nil: nil
        }
    }
}

/// The lowest and highest sample in each of many short stretches of a recording.
package struct Waveform: Sendable, Hashable {
    /// The number of frames of a column; the last one may have fewer.
    package let framesPerColumn: Int
    /// For each channel its columns, full scale at ±1.
    package let channels: [[ClosedRange<Float>]]

    package init(framesPerColumn: Int, channels: [[ClosedRange<Float>]]) {
        (self.framesPerColumn, self.channels) = (framesPerColumn, channels)
    }
}

/// How strong each band of frequencies is in each of many stretches of a recording.
package struct Spectrogram: Sendable, Hashable {
    /// The number of frames of a column; the last one may have fewer.
    package let framesPerColumn: Int
    /// The lower edge of the lowest band and the upper edge of the highest one, in Hz. Bands are equally wide on a logarithmic
    /// scale.
    package let frequencies: ClosedRange<Double>
    /// For each column its bands, from the lowest on: the level of a sine in dBFS that would be as strong as the strongest
    /// frequency of the band; -infinity for digital silence.
    package let columns: [[Float]]

    package init(framesPerColumn: Int, frequencies: ClosedRange<Double>, columns: [[Float]]) {
        (self.framesPerColumn, self.frequencies, self.columns) = (framesPerColumn, frequencies, columns)
    }
}
