@testable import ACCAudioRecorder

/// Ogg pages with correct checksums.
enum MadeOgg {
    /// A page of a stream.
    ///
    /// - Parameter segmentCount: The number of segments of one byte each.
    static func page(_ number: UInt8, segmentCount: Int = 1) -> [UInt8] {
        var page = Array("OggS".utf8)
        page += [UInt8](repeating: 0, count: 14)
        page += [number, 0, 0, 0, 0, 0, 0, 0, UInt8(segmentCount)]
        page += [UInt8](repeating: 1, count: segmentCount) + [UInt8](repeating: 7, count: segmentCount)
        let checksum = CRC<UInt32>(polynomial: 0x04C1_1DB7).value(of: page)
        page.replaceSubrange(22..<26, with: ByteOrder.little.bytes(UInt64(checksum), count: 4))
        return page
    }
}

extension MadeOgg {
    /// The same Ogg file with another number of its stream.
    static func renumbered(_ file: [UInt8]) -> [UInt8] {
        var (file, place) = (file, 0)
        while let length = OggPage.length(of: file[place...]) {
            var page = Array(file[place..<place + length])
            page[14] ^= 1
            page.replaceSubrange(22..<26, with: [0, 0, 0, 0])
            let checksum = CRC<UInt32>(polynomial: 0x04C1_1DB7).value(of: page)
            page.replaceSubrange(22..<26, with: ByteOrder.little.bytes(UInt64(checksum), count: 4))
            file.replaceSubrange(place..<place + length, with: page)
            place += length
        }
        return file
    }
}

/// FLAC streams whose frames have correct checksums: 44.1 kHz, one channel, 16 bits, 4096 samples in each frame.
enum MadeFLAC {
    static let blockSize = 4_096

    /// What precedes the frames: STREAMINFO.
    ///
    /// - Parameter frameCount: The stated number of samples.
    static func start(frameCount: Int) -> [UInt8] {
        let blockSizes: [UInt8] = [0x10, 0, 0x10, 0]
        let format: [UInt8] = [0x0A, 0xC4, 0x40, 0xF0]
        return Array("fLaC".utf8) + [0x80, 0, 0, 34] + blockSizes + [UInt8](repeating: 0, count: 6) + format
            + ByteOrder.big.bytes(UInt64(frameCount), count: 4) + [UInt8](repeating: 0, count: 16)
    }

    /// The header of a frame, with a number below 128.
    static func header(_ number: Int) -> [UInt8] {
        let header: [UInt8] = [0xFF, 0xF8, 0xC9, 0x08, UInt8(number)]
        return header + [CRC<UInt8>(polynomial: 0x07).value(of: header)]
    }

    /// A frame of this many bytes.
    static func frame(_ number: Int, byteCount: Int) -> [UInt8] {
        frame(with: header(number), byteCount: byteCount)
    }

    /// A frame with 16 samples.
    static func shortFrame(_ number: Int, byteCount: Int) -> [UInt8] {
        let header: [UInt8] = [0xFF, 0xF8, 0x69, 0x08, UInt8(number), 15]
        return frame(with: header + [CRC<UInt8>(polynomial: 0x07).value(of: header)], byteCount: byteCount)
    }

    private static func frame(with header: [UInt8], byteCount: Int) -> [UInt8] {
        let frame = header + [UInt8](repeating: 7, count: byteCount - header.count - 2)
        return frame + ByteOrder.big.bytes(UInt64(CRC<UInt16>(polynomial: 0x8005).value(of: frame)), count: 2)
    }
}
