import CSndFile
import Foundation

/// A sound file as libsndfile reads it, whole.
public struct DecodedFile: Sendable {
    /// Frames a second.
    public let sampleRate: Int
    /// Samples in a frame.
    public let channels: Int
    /// The samples, interleaved, full scale at ±1.
    public let samples: [Float]
    /// Its strings, by libsndfile's numbers for them (`SF_STR_TITLE` …).
    public let strings: [Int: String]

    /// How many frames can be read.
    public var frames: Int { samples.count / channels }

    /// Reads a file from this frame on, to its end.
    ///
    /// - Throws: `PCMFileError` with what libsndfile says.
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
