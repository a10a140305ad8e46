import ACCAudioRecorder
import Glibc

extension InfoCommand {
    /// The waveform of a file, drawn as text in as many columns as the terminal has.
    static func waveform(of reader: inout SoundFileReader, _ record: Record) -> [String] {
        // A frame may have been read to see whether there is one, or all for the levels.
        guard reader.channelCount > 0, record.frames != nil && record.figures == nil || reader.seek(to: 0) else {
            return []
        }
        let columns = WindowSize(of: STDOUT_FILENO).columns
        var overview = TakeOverview(
            channelCount: reader.channelCount, sampleRate: reader.sampleRate,
            detail: .init(waveformColumns: max(columns, 80) * 4, spectrogramColumns: 0, bands: 1),
            expectedFrames: reader.frameCount)
        let frames = reader.readBlocks(of: blockFrames) { overview.append($0) }
        var names = reader.channelMap.labels
        for track in record.tracks where names.indices.contains(track.channel - 1) {
            names[track.channel - 1] = track.name
        }
        return WaveformText(
            waveform: overview.waveform, sampleRate: reader.sampleRate,
            seconds: Double(frames) / Double(max(reader.sampleRate, 1)), names: names,
            places: record.markers.map { WaveformText.Place(seconds: $0.offset, isGap: $0.isGap) },
            style: TerminalStyle(color: .never), columns: columns
        ).lines
    }

    static let blockFrames = 16_384
}
