import Foundation
import TestSupport

@testable import ACCAudioRecorder

/// Recordings of noise with markers.
enum ChapterFixture {
    /// One of each container with chapters.
    static let kinds = ["flac", "ogg", "opus", "mp3"]
    static let form = StreamFormat(sampleRate: 48_000, channelMap: .standard(channelCount: 2))

    /// Records seconds of noise, always the same.
    ///
    /// - Parameter markers: Each with its frame.
    static func record(
        to path: URL, seconds: Int = 1, markers: [(frame: Int, label: String)] = [], replacing: Bool = false
    ) async throws -> [OutputReport] {
        var output = try RecordingOutput(path: path.path)
        output.replacesExisting = replacing
        let writer = try OutputWriter(
            output, for: .made("microphone"), form: form, broadcast: RecordingBroadcast())
        writer.begin(hostTime: 1_000_000_000)
        for second in 0..<seconds {
            let noise = Signal.float(Signal.noise(seed: UInt64(second), samples: 96_000)[...])
            withBlock(noise, channels: 2) { writer.write($0) }
        }
        for marker in markers { writer.mark(marker.label, at: marker.frame) }
        return await writer.finish(serverProcessing: []).value
    }

    /// What `accrec info` shows of markers.
    static func markers(of path: URL) throws -> [String] {
        try SoundFileReader(path: path.path).markers(ofFileAt: path.path).map(\.label)
    }

    static func hasList(_ path: URL) -> Bool {
        FileManager.default.fileExists(atPath: path.path + ".labels.txt")
    }
}
