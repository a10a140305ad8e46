import CSndFile
import Foundation

/// The content of a sound file as read by libsndfile.
public struct DecodedFile: Sendable {
    /// The sample rate in Hz.
    public let sampleRate: Int
    /// The channel count.
    public let channels: Int
    /// The interleaved samples, with full scale at ±1.
    public let samples: [Float]
    /// Its strings, by libsndfile's constants (`SF_STR_TITLE` and so on).
    public let strings: [Int: String]

    /// The number of frames.
    public var frames: Int { samples.count / channels }

    /// Reads a file from a frame to its end.
    ///
    /// - Throws: `PCMFileError` with libsndfile's message.
    public init(_ url: URL, from frame: Int = 0) throws {
        var info = SF_INFO()
        guard let file = sf_open(url.path, Int32(SFM_READ), &info) else {
            throw PCMFileError("\(url.lastPathComponent): \(String(cString: sf_strerror(nil)))")
        }
        defer { sf_close(file) }
        if frame > 0, sf_seek(file, Int64(frame), SEEK_SET) != Int64(frame) {
            throw PCMFileError("\(url.lastPathComponent): \(String(cString: sf_strerror(file)))")
        }
        sampleRate = Int(info.samplerate)
        channels = Int(info.channels)
        var samples: [Float] = []
        var buffer = [Float](repeating: 0, count: 4_096 * Int(info.channels))
        while true {
            let count = Int(sf_read_float(file, &buffer, Int64(buffer.count)))
            guard count > 0 else { break }
            samples += buffer[..<count]
        }
        self.samples = samples
        var strings: [Int: String] = [:]
        for number in SF_STR_TITLE...SF_STR_GENRE {
            if let text = sf_get_string(file, Int32(number)) { strings[number] = String(cString: text) }
        }
        self.strings = strings
    }
}
