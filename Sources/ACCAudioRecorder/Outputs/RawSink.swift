import SystemPackage

/// An output of samples alone, interleaved and little-endian, to a file or an open descriptor.
final class RawSink: AudioSink {
    private let name: String
    private let descriptor: FileDescriptor
    private var file: NewFile?
    private let encoding: SampleEncoding
    private let packed = UnsafeMutableRawBufferPointer.allocate(byteCount: 32 << 10, alignment: 8)
    private(set) var byteCount = 0

    /// Creates a file.
    init(path: String, replacesExisting: Bool, encoding: SampleEncoding) throws(ACCAudioRecorderError) {
        let file = try NewFile(path: path, replacesExisting: replacesExisting)
        name = "'\(path)'"
        descriptor = file.descriptor
        self.file = consume file
        self.encoding = encoding
    }

    /// Writes to a descriptor, which stays the caller's.
    init(descriptor: Int32, encoding: SampleEncoding) {
        name = descriptor == FileDescriptor.standardOutput.rawValue ? "standard output" : "descriptor \(descriptor)"
        self.descriptor = FileDescriptor(rawValue: descriptor)
        self.encoding = encoding
    }

    deinit {
        packed.deallocate()
    }

    /// Samples alone have no place for it.
    func begin(start: WallClock) {}

    /// Nor for that.
    func mark(_ marker: RecordingMarker, at frame: Int) {}

    /// Keeps the upper bytes of each left-justified sample, the lowest of them first.
    func write(_ samples: UnsafeBufferPointer<Int32>) throws(ACCAudioRecorderError) {
        let size = encoding.bytesPerSample
        // Samples of 8 bits are unsigned: the sign bit is turned over.
        let offset: UInt32 = size == 1 ? 0x8000_0000 : 0
        try pack(samples, size: size) { sample, bytes in
            var word = (UInt32(bitPattern: sample) ^ offset) >> UInt32(8 * (4 - size))
            for byte in 0..<size {
                bytes.storeBytes(of: UInt8(truncatingIfNeeded: word), toByteOffset: byte, as: UInt8.self)
                word >>= 8
            }
        }
    }

    func write(_ samples: UnsafeBufferPointer<Float>) throws(ACCAudioRecorderError) {
        guard encoding == .f64 else { return try writeAll(UnsafeRawBufferPointer(samples)) }
        try pack(samples, size: 8) { $1.storeBytes(of: Double($0), as: Double.self) }
    }

    func finish() throws(ACCAudioRecorderError) -> Int {
        guard let file = file.take() else { return byteCount }
        return try file.keep()
    }

    func discard() {
        guard let file = file.take() else { return }
        file.remove()
    }

    /// Writes samples in another form, of so many bytes each. The host is little-endian on every platform that
    /// Swift has on Linux.
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
        do {
            byteCount += try descriptor.writeAll(bytes)
        } catch Errno.brokenPipe {
            throw .outputFailed(
                .init(
                    .readerGone, "cannot write to \(name) any further", cause: "its reader closed it",
                    remedy: "Keep the reading program running for as long as the recording."))
        } catch {
            throw .outputFailed(
                .init(
                    .cannotWrite, "cannot write to \(name) any further", cause: "\(error)",
                    remedy: "See that the disk has room and can be written; what was written is kept."))
        }
    }
}
