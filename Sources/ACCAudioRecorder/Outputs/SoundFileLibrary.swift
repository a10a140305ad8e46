import CSndFile

/// What the libsndfile of this machine was built with.
enum SoundFileLibrary {
    /// The containers that it writes (`SF_FORMAT_WAV` …).
    static let containers = formats(count: SFC_GET_FORMAT_MAJOR_COUNT, SFC_GET_FORMAT_MAJOR, SF_FORMAT_TYPEMASK)
    /// The encodings and codecs (`SF_FORMAT_PCM_16` …).
    static let codecs = formats(count: SFC_GET_FORMAT_SUBTYPE_COUNT, SFC_GET_FORMAT_SUBTYPE, SF_FORMAT_SUBMASK)

    private static func formats(count countCommand: Int, _ command: Int, _ mask: Int) -> Set<Int32> {
        var count: Int32 = 0
        sf_command(nil, Int32(countCommand), &count, Int32(MemoryLayout<Int32>.size))
        return Set(
            (0..<count).map { index in
                var info = SF_FORMAT_INFO(format: index, name: nil, extension: nil)
                sf_command(nil, Int32(command), &info, Int32(MemoryLayout<SF_FORMAT_INFO>.size))
                return info.format & Int32(mask)
            })
    }
}
