import CSndFile
import SystemPackage

/// The owner of one libsndfile handle, open for writing.
struct SoundFile: ~Copyable {
    private let handle: OpaquePointer

    /// Writes the header to an open, empty file, which stays the caller's.
    init(descriptor: FileDescriptor, info: SF_INFO) throws(SoundFileFailure) {
        var info = info
        guard let handle = sf_open_fd(descriptor.rawValue, Int32(SFM_WRITE), &info, 0) else {
            throw SoundFileFailure(message: String(cString: sf_strerror(nil)))
        }
        self.handle = handle
    }

    deinit {
        sf_close(handle)
    }

    /// Writes interleaved integers, left-justified in 32 bits.
    func write(_ samples: UnsafeBufferPointer<Int32>) throws(SoundFileFailure) {
        guard sf_write_int(handle, samples.baseAddress, Int64(samples.count)) == samples.count else { throw failure }
    }

    /// Writes interleaved floating-point samples, full scale at ±1.
    func write(_ samples: UnsafeBufferPointer<Float>) throws(SoundFileFailure) {
        guard sf_write_float(handle, samples.baseAddress, Int64(samples.count)) == samples.count else { throw failure }
    }

    /// Brings the header up to date with what was written, so that the file can be opened as it is.
    func updateHeader() {
        sf_command(handle, Int32(SFC_UPDATE_HEADER_NOW), nil, 0)
    }

    /// Writes what is left and completes the header.
    consuming func close() throws(SoundFileFailure) {
        let status = sf_close(handle)
        discard self
        guard status == 0 else { throw SoundFileFailure(message: String(cString: sf_error_number(status))) }
    }

    private var failure: SoundFileFailure { SoundFileFailure(message: String(cString: sf_strerror(handle))) }
}

// MARK: - Before the first sample

extension SoundFile {
    /// Says which position each channel has.
    ///
    /// - Parameter positions: libsndfile's numbers for them.
    func setChannelMap(_ positions: [Int32]) throws(SoundFileFailure) {
        var positions = positions
        let size = Int32(positions.count * MemoryLayout<Int32>.size)
        guard sf_command(handle, Int32(SFC_SET_CHANNEL_MAP_INFO), &positions, size) != 0 else { throw failure }
    }

    /// Sets one of libsndfile's strings (`SF_STR_COMMENT` …).
    func set(_ kind: Int, _ text: String) throws(SoundFileFailure) {
        guard sf_set_string(handle, Int32(kind), text) == 0 else { throw failure }
    }

    /// Writes a `bext` chunk (EBU Tech 3285): when the recording begins, of what, and by which program.
    func setBroadcastInfo(_ start: WallClock, rate: Int, description: String) throws(SoundFileFailure) {
        var info = SF_BROADCAST_INFO()
        Self.copy(description, to: &info.description)
        Self.copy("accrec", to: &info.originator)
        Self.copy(start.date, to: &info.origination_date)
        Self.copy(start.time, to: &info.origination_time)
        let frames = start.framesSinceMidnight(rate: rate)
        info.time_reference_low = UInt32(truncatingIfNeeded: frames)
        info.time_reference_high = UInt32(frames >> 32)
        info.version = 1
        let size = Int32(MemoryLayout<SF_BROADCAST_INFO>.size)
        guard sf_command(handle, Int32(SFC_SET_BROADCAST_INFO), &info, size) != 0 else { throw failure }
    }

    /// Fills a field of characters, which needs no zero at its end.
    private static func copy<Field>(_ text: String, to field: inout Field) {
        withUnsafeMutableBytes(of: &field) { $0.copyBytes(from: text.utf8.prefix($0.count)) }
    }
}

/// What libsndfile said when it could not do a thing.
struct SoundFileFailure: Error, CustomStringConvertible {
    let message: String
    var description: String { message }
}
