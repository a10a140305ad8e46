import CSndFile

extension SoundFileReader {
    /// The channels that have a name, in their order: by the `iXML` chunk of a WAV file, whichever program wrote it, or by the
    /// comment that this library writes elsewhere.
    package var namedChannels: [(number: Int, name: String)] {
        let names: [Int: String]
        if let content = chunk(named: TrackList.chunkName) {
            names = TrackListScanner.names(in: content)
        } else {
            names = text(of: .comment).flatMap { TrackList.names(inComment: $0, channelCount: channelCount) } ?? [:]
        }
        return names.filter { 1...max(channelCount, 1) ~= $0.key && !$0.value.isEmpty }
            .sorted { $0.key < $1.key }.map { (number: $0.key, name: $0.value) }
    }

    /// The fields of the `guan` chunk of a WAV file (GUANO), in their order; empty if there is none.
    package var guanoFields: [(key: String, value: String)] {
        chunk(named: GUANOChunk.chunkName).map { GUANOChunk.fields(in: $0) } ?? []
    }

    /// The beginning of the content of the first chunk with this name; nil if there is none.
    private func chunk(named name: String) -> [UInt8]? {
        var info = SF_CHUNK_INFO()
        withUnsafeMutableBytes(of: &info.id) { $0.copyBytes(from: name.utf8.prefix($0.count)) }
        info.id_size = UInt32(name.utf8.count)
        guard let chunk = sf_get_chunk_iterator(handle.pointer, &info), sf_get_chunk_size(chunk, &info) == 0 else {
            return nil
        }
        var content = [UInt8](repeating: 0, count: min(Int(info.datalen), Self.longestChunk))
        let status = content.withUnsafeMutableBytes { bytes in
            (info.datalen, info.data) = (UInt32(bytes.count), bytes.baseAddress)
            return sf_get_chunk_data(chunk, &info)
        }
        return status == 0 ? content : nil
    }

    /// Chunks of recorders have some kilobytes.
    private static let longestChunk = 1 << 20
}
