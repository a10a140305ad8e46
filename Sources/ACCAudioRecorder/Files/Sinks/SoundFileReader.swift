import CSndFile

/// Owns one libsndfile handle, open for reading.
package struct SoundFileReader: ~Copyable {
    /// Why a file cannot be read, in libsndfile's words.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// The number of frames that the header states; 0 if it states none.
    package let frameCount: Int
    /// The sample rate in Hz.
    package let sampleRate: Int
    package let channelCount: Int
    /// libsndfile's names of the file format and of the encoding: `WAV (Microsoft)`, `Signed 16 bit PCM`.
    package let formatNames: [String]
    private let handle: OpaquePointer

    /// Opens a file of any format that libsndfile knows. Blocks as long as the file system does.
    package init(path: String) throws(Failure) {
        var info = SF_INFO()
        guard let handle = sf_open(path, Int32(SFM_READ), &info) else {
            throw Failure(description: String(cString: sf_strerror(nil)))
        }
        self.handle = handle
        frameCount = max(Int(info.frames), 0)
        sampleRate = Int(info.samplerate)
        channelCount = Int(info.channels)
        formatNames = [SF_FORMAT_TYPEMASK, SF_FORMAT_SUBMASK].compactMap { (mask: Int) -> String? in
            var format = SF_FORMAT_INFO(format: info.format & Int32(mask), name: nil, extension: nil)
            let size = Int32(MemoryLayout<SF_FORMAT_INFO>.size)
            guard sf_command(nil, Int32(SFC_GET_FORMAT_INFO), &format, size) == 0 else { return nil }
            return format.name.map { String(cString: $0) }
        }
    }

    deinit {
        sf_close(handle)
    }

    /// Reads the next frames, interleaved, full scale at ±1.
    ///
    /// - Parameter samples: Room for whole frames.
    /// - Returns: The number of frames read; 0 at the end, or if the file is damaged.
    package mutating func read(into samples: UnsafeMutableBufferPointer<Float>) -> Int {
        let room = channelCount > 0 ? samples.count / channelCount : 0
        guard room > 0 else { return 0 }
        return max(Int(sf_readf_float(handle, samples.baseAddress, Int64(room))), 0)
    }

    /// The text of a tag; nil if the file has none.
    package func text(of tag: MetadataTag) -> String? {
        sf_get_string(handle, Int32(tag.soundFileString)).map { String(cString: $0) }
    }

    /// The first hundred cue points of a WAV file, which is as many as libsndfile reads.
    package var cuePoints: [(frame: Int, label: String)] {
        var cues = SF_CUES()
        guard sf_command(handle, Int32(SFC_GET_CUE), &cues, Int32(MemoryLayout<SF_CUES>.size)) != 0 else { return [] }
        return withUnsafeBytes(of: &cues.cue_points) { bytes in
            bytes.bindMemory(to: SF_CUE_POINT.self).prefix(Int(cues.cue_count)).map { cue in
                let label = withUnsafeBytes(of: cue.name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
                return (Int(cue.sample_offset), label)
            }
        }
    }

    /// Whether the last frame can be read, which tells a truncated file despite its header. Leaves the position at the
    /// end.
    package mutating func canReadLastFrame() -> Bool {
        let last = Int64(frameCount) - 1
        guard last >= 0, channelCount > 0, sf_seek(handle, last, SEEK_SET) == last else { return false }
        return withUnsafeTemporaryAllocation(of: Float.self, capacity: channelCount) { read(into: $0) == 1 }
    }
}
