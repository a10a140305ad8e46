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

/// What libsndfile said when it could not do a thing.
struct SoundFileFailure: Error {
    let message: String
}
