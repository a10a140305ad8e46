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
        switch frames.samples {
        case .integers(let samples): try write(samples)
        case .floats(let samples): try write(samples)
        }
    }

    /// Writes the upper bytes of each left-justified sample, lowest byte first.
    private func write(_ samples: UnsafeBufferPointer<Int32>) throws(ACCAudioRecorderError) {
        let size = encoding.bytesPerSample
        // 8-bit samples are unsigned: flip the sign bit.
        let offset: UInt32 = size == 1 ? 0x8000_0000 : 0
        try pack(samples, size: size) { sample, bytes in
            var word = (UInt32(bitPattern: sample) ^ offset) >> UInt32(8 * (4 - size))
            for byte in 0..<size {
                bytes.storeBytes(of: UInt8(truncatingIfNeeded: word), toByteOffset: byte, as: UInt8.self)
                word >>= 8
            }
        }
    }

    private func write(_ samples: UnsafeBufferPointer<Float>) throws(ACCAudioRecorderError) {
        guard encoding == .f64 else { return try writeAll(UnsafeRawBufferPointer(samples)) }
        try pack(samples, size: 8) { $1.storeBytes(of: Double($0), as: Double.self) }
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

    /// Converts samples to a size in bytes and writes them. The host is little-endian on every Linux platform that
    /// Swift supports.
    @inline(__always)
    private func pack<Sample>(
        _ samples: UnsafeBufferPointer<Sample>, size: Int, _ store: (Sample, UnsafeMutableRawPointer) -> Void
    ) throws(ACCAudioRecorderError) {
        let start = packed.baseAddress!
        var first = 0
        while first < samples.count {
            let count = min(packed.count / size, samples.count - first)
            for index in 0..<count { store(samples[first + index], start + index * size) }
            try writeAll(UnsafeRawBufferPointer(rebasing: packed[..<(count * size)]))
            first += count
        }
    }

    private func writeAll(_ bytes: UnsafeRawBufferPointer) throws(ACCAudioRecorderError) {
        let (count, cause) = pipe?.write(bytes) ?? target.writeMost(of: bytes)
        byteCount += count
        guard let cause else { return }
        hasFailed = true
        throw .cannotGoOn(with: name, cause)
    }
}
