import SystemPackage

/// Writes plain samples, interleaved and little-endian, to a file or an open descriptor.
final class RawEncoder: ContainerEncoder {
    private let name: String
    private let target: FileDescriptor
    /// Nil for a file.
    private let pipe: OutputPipe?
    private var file: AtomicFile?
    private let encoding: SampleEncoding
    private let frameSize: Int
    private let packed = UnsafeMutableRawBufferPointer.allocate(byteCount: 32 << 10, alignment: 8)
    /// The number of frames that are packed at once; `.max` for samples that have their size in memory.
    private var partFrames: Int { encoding.bytesPerSample == 4 ? .max : packed.count / frameSize }
    private(set) var byteCount = 0
    private var hasFailed = false

    /// Creates a file.
    init(
        path: String, output: RecordingOutput, isSynced: Bool, encoding: SampleEncoding, channelCount: Int
    ) throws(ACCAudioRecorderError) {
        let file = try AtomicFile(
            path: path, replacesExisting: output.replacesExisting, replaceable: output.replaceable, isSynced: isSynced)
        name = RecordingOutput.Destination.file(path: path).description
        target = file.descriptor
        pipe = nil
        self.file = consume file
        self.encoding = encoding
        frameSize = encoding.bytesPerSample * channelCount
    }

    /// - Parameter name: The pipe's name in messages.
    init(_ pipe: OutputPipe, name: String, encoding: SampleEncoding, channelCount: Int) {
        self.name = name
        target = pipe.descriptor
        self.pipe = pipe
        self.encoding = encoding
        frameSize = encoding.bytesPerSample * channelCount
    }

    deinit {
        packed.deallocate()
    }

    var encodedFrameCount: Int? { nil }

    var descriptor: FileDescriptor? { target }

    var directory: OutputDirectory? { file?.directory }

    var path: String? { file?.currentPath }

    /// Does nothing: raw samples have no header.
    func begin(start: WallClock, ownStart: WallClock) {}

    /// Does nothing: raw samples have no header.
    func mark(_ label: String, at frame: Int) {}

    func write(_ frames: EncodedFrames) throws(ACCAudioRecorderError) {
        var rest = frames
        while rest.count > 0 {
            let part = rest.prefix(partFrames)
            try writeAll(bytes(of: part))
            rest = rest.dropFirst(part.count)
        }
    }

    func writeAtOnce(_ frames: EncodedFrames) -> Int {
        guard let pipe else { return 0 }
        let partFrames = min(partFrames, OutputPipe.atomicSize / frameSize)
        var rest = frames
        while rest.count > 0 {
            let part = rest.prefix(partFrames)
            guard pipe.writeAtOnce(bytes(of: part)) else { break }
            rest = rest.dropFirst(part.count)
        }
        let count = frames.count - rest.count
        byteCount += count * frameSize
        return count
    }

    /// The bytes of at most `partFrames` frames; valid until the next call. The host is little-endian on every Linux platform that
    /// Swift supports.
    private func bytes(of frames: EncodedFrames) -> UnsafeRawBufferPointer {
        switch frames.samples {
        case .integers(let samples): return bytes(of: samples)
        case .floats(let samples):
            guard encoding == .f64 else { return UnsafeRawBufferPointer(samples) }
            return pack(samples, size: 8) { $1.storeBytes(of: Double($0), as: Double.self) }
        }
    }

    /// The upper bytes of each left-justified sample, lowest byte first.
    private func bytes(of samples: UnsafeBufferPointer<Int32>) -> UnsafeRawBufferPointer {
        switch encoding.bytesPerSample {
        // 8-bit samples are unsigned: flip the sign bit.
        case 1: pack(samples, size: 1) { $1.storeBytes(of: UInt8(truncatingIfNeeded: $0 >> 24) ^ 0x80, as: UInt8.self) }
        case 2: pack(samples, size: 2) { $1.storeBytes(of: Int16(truncatingIfNeeded: $0 >> 16), as: Int16.self) }
        case 3:
            pack(samples, size: 3) {
                $1.storeBytes(of: UInt16(truncatingIfNeeded: $0 >> 8), as: UInt16.self)
                $1.storeBytes(of: UInt8(truncatingIfNeeded: $0 >> 24), toByteOffset: 2, as: UInt8.self)
            }
        default: UnsafeRawBufferPointer(samples)
        }
    }

    /// Truncates the file after the last whole frame if a write failed.
    func finish(isWhole: Bool, isLate: () -> Bool) throws(ACCAudioRecorderError) -> EncodedContent {
        let frameCount = byteCount / frameSize
        let wholeFrames = hasFailed ? frameCount : nil
        guard let file = file.take() else { return EncodedContent(byteCount: byteCount, frameCount: wholeFrames) }
        if hasFailed {
            // A file that cannot be truncated still has all of its frames.
            try? file.descriptor.resize(to: Int64(frameCount * frameSize))
        }
        return EncodedContent(try file.keep(isWhole: isWhole), frameCount: wholeFrames)
    }

    func discard() {
        guard let file = file.take() else { return }
        file.remove()
    }

    /// Converts samples to a size in bytes.
    @inline(__always)
    private func pack<Sample>(
        _ samples: UnsafeBufferPointer<Sample>, size: Int, _ store: (Sample, UnsafeMutableRawPointer) -> Void
    ) -> UnsafeRawBufferPointer {
        let start = packed.baseAddress!
        for index in samples.indices { store(samples[index], start + index * size) }
        return UnsafeRawBufferPointer(start: start, count: samples.count * size)
    }

    private func writeAll(_ bytes: UnsafeRawBufferPointer) throws(ACCAudioRecorderError) {
        let (count, cause) = pipe?.write(bytes) ?? target.writeMost(of: bytes)
        byteCount += count
        guard let cause else { return }
        hasFailed = true
        throw .cannotGoOn(with: name, cause)
    }
}
