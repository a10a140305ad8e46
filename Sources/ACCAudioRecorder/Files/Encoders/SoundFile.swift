import CSndFile
import Glibc
import SystemPackage

/// Owns one libsndfile handle, open for writing.
struct SoundFile: ~Copyable {
    private let handle: OpaquePointer
    /// Retained until the handle is closed, because libsndfile has a pointer to it.
    private let io: Unmanaged<IO>

    /// Opens an empty file and writes its header.
    init(io: IO, info: SF_INFO) throws(SoundFileFailure) {
        var (info, functions) = (info, IO.functions)
        self.io = Unmanaged.passRetained(io)
        guard let handle = sf_open_virtual(&functions, Int32(SFM_WRITE), &info, self.io.toOpaque()) else {
            self.io.release()
            throw SoundFileFailure(String(cString: sf_strerror(nil)), errno: io.byteTarget.failure)
        }
        self.handle = handle
    }

    deinit {
        sf_close(handle)
        io.release()
    }

    /// Writes frames.
    func write(_ frames: EncodedFrames) throws(SoundFileFailure) {
        let count =
            switch frames.samples {
            case .integers(let samples): sf_write_int(handle, samples.baseAddress, Int64(samples.count))
            case .floats(let samples): sf_write_float(handle, samples.baseAddress, Int64(samples.count))
            }
        io.takeUnretainedValue().byteTarget.flush()
        guard count == frames.sampleCount, systemFailure == nil else { throw failure }
    }

    /// Updates the header for what was written, so that the file can be opened as it is.
    func updateHeader() {
        sf_command(handle, Int32(SFC_UPDATE_HEADER_NOW), nil, 0)
    }

    /// Writes what is left and completes the header.
    consuming func close() throws(SoundFileFailure) {
        let status = sf_close(handle)
        io.takeUnretainedValue().byteTarget.flush()
        let systemFailure = systemFailure
        io.release()
        discard self
        guard status == 0, systemFailure == nil else {
            throw SoundFileFailure(String(cString: sf_error_number(status)), errno: systemFailure)
        }
    }

    private var failure: SoundFileFailure {
        SoundFileFailure(String(cString: sf_strerror(handle)), errno: systemFailure)
    }

    private var systemFailure: Errno? { io.takeUnretainedValue().byteTarget.failure }
}

// MARK: - Before the first sample

extension SoundFile {
    /// Opens a file or stream and writes everything that must precede the samples.
    ///
    /// - Parameters:
    ///   - info: libsndfile's description of the container.
    ///   - isStream: Whether written bytes cannot be changed later.
    static func begin(
        _ io: IO, info: SF_INFO, output: RecordingOutput, metadata: FileMetadata, isStream: Bool
    ) throws(SoundFileFailure) -> SoundFile {
        let container = output.container
        let file = try SoundFile(io: io, info: info)
        if isStream {
            // The peak is only known after the header was written.
            sf_command(file.handle, Int32(SFC_SET_ADD_PEAK_CHUNK), nil, Int32(SF_FALSE))
        } else if container.traits.isWAV {
            try file.setChunk(WAVHeader.reserve.name, WAVHeader.reserve.content)
        }
        if case .coreAudio(let name) = container.traits.channelOrder,
            let content = metadata.layout.coreAudioContent
        {
            try file.setChunk(name, content)
        }
        if let compression = output.compression { try file.compress(compression, container, metadata.form) }
        if container.traits.soundFile?.hasPageLength == true { file.setPageLength(milliseconds: isStream ? 20 : 250) }
        return file
    }

    /// Writes the metadata.
    ///
    /// - Parameters:
    ///   - start: When the first frame of the output was captured.
    ///   - ownStart: When the first frame of the file was captured.
    ///   - firstFrame: The number of the file's first frame in the output.
    func label(with metadata: FileMetadata, start: WallClock, ownStart: WallClock, firstFrame: Int) {
        // Errors here occur again when the first samples are written.
        if let chunk = metadata.broadcastExtension(start: start, firstFrame: firstFrame) {
            try? setChunk(BroadcastExtension.chunkName, chunk.content)
        }
        if let chunk = metadata.guanoChunk(start: ownStart) {
            try? setChunk(GUANOChunk.chunkName, chunk.content)
        }
        if let tracks = metadata.trackList { try? setChunk(TrackList.chunkName, tracks.content) }
        guard !metadata.container.tags.isEmpty else { return }
        try? set(SF_STR_SOFTWARE, Array(metadata.program.nameAndVersion.utf8))
        for (tag, text) in metadata.tags(start: start, firstFrame: firstFrame) {
            try? set(tag.soundFileString, metadata.container.traits.tagText.lossyBytes(of: text))
        }
    }

    /// Writes a chunk before the samples, in containers that have chunks.
    private func setChunk(_ name: String, _ content: [UInt8]) throws(SoundFileFailure) {
        var chunk = SF_CHUNK_INFO()
        withUnsafeMutableBytes(of: &chunk.id) { $0.copyBytes(from: name.utf8.prefix($0.count)) }
        chunk.id_size = UInt32(name.utf8.count)
        var content = content
        let status = content.withUnsafeMutableBytes { bytes in
            (chunk.datalen, chunk.data) = (UInt32(bytes.count), bytes.baseAddress)
            return sf_set_chunk(handle, &chunk)
        }
        guard status == 0 else { throw failure }
    }

    /// Sets the compression level or bit rate.
    private func compress(_ compression: Compression, _ container: Container, _ form: StreamFormat)
        throws(SoundFileFailure)
    {
        var level = container.soundFileLevel(of: compression, form)
        guard sf_command(handle, Int32(SFC_SET_COMPRESSION_LEVEL), &level, Int32(MemoryLayout<Double>.size)) != 0 else {
            throw failure
        }
        guard case .layer3? = container.traits.compressor?.bitRates, case .bitRate = compression else { return }
        // After the level, because libsndfile refuses a mode without one.
        var mode = Int32(SF_BITRATE_MODE_CONSTANT)
        guard sf_command(handle, Int32(SFC_SET_BITRATE_MODE), &mode, Int32(MemoryLayout<Int32>.size)) != 0 else {
            throw failure
        }
    }

    /// Sets the interval of the pages of an Ogg Opus file.
    private func setPageLength(milliseconds: Double) {
        // The result is meaningless.
        var length = milliseconds
        sf_command(handle, Int32(SFC_SET_OGG_PAGE_LATENCY_MS), &length, Int32(MemoryLayout<Double>.size))
    }

    /// Sets one of libsndfile's strings (`SF_STR_COMMENT` …).
    private func set(_ kind: Int, _ text: [UInt8]) throws(SoundFileFailure) {
        let status = (text + [0]).withUnsafeBytes {
            sf_set_string(handle, Int32(kind), $0.baseAddress?.assumingMemoryBound(to: CChar.self))
        }
        guard status == 0 else { throw failure }
    }
}

extension SoundFile {
    /// What libsndfile writes to through its virtual I/O. It reveals what libsndfile writes where, and the
    /// system's error if a write fails.
    ///
    /// Used by one thread at a time, the one that calls libsndfile.
    final class IO {
        let byteTarget: any ByteTarget
        private var position = 0

        init(_ byteTarget: any ByteTarget) {
            self.byteTarget = byteTarget
        }

        /// The functions for libsndfile; each gets a pointer to an `IO`.
        static var functions: SF_VIRTUAL_IO {
            SF_VIRTUAL_IO(
                get_filelen: { IO.of($0).map { Int64($0.byteTarget.length) } ?? -1 },
                seek: { offset, origin, io in
                    IO.of(io).map { Int64($0.seek(Int(offset), origin)) } ?? -1
                },
                // Nothing is read while a file is written.
                read: { _, _, _ in 0 },
                write: { bytes, count, io in
                    IO.of(io)?.append(UnsafeRawBufferPointer(start: bytes, count: Int(count))) == true
                        ? count : 0
                },
                tell: { IO.of($0).map { Int64($0.position) } ?? -1 })
        }

        private static func of(_ pointer: UnsafeMutableRawPointer?) -> IO? {
            pointer.map { Unmanaged.fromOpaque($0).takeUnretainedValue() }
        }

        private func seek(_ offset: Int, _ origin: Int32) -> Int {
            position = offset + (origin == SEEK_CUR ? position : origin == SEEK_END ? byteTarget.length : 0)
            return position
        }

        /// Writes bytes at the current position.
        private func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
            byteTarget.receive(bytes, at: position)
            position += bytes.count
            return byteTarget.failure == nil
        }
    }

    /// The bytes behind a `SoundFile.IO`. Used by one thread at a time, the one that calls libsndfile.
    protocol ByteTarget: AnyObject {
        /// The length in bytes.
        var length: Int { get }

        /// The error of a failed write; some of libsndfile's codecs do not report it.
        var failure: Errno? { get }

        /// Receives bytes that libsndfile writes at an offset.
        func receive(_ bytes: UnsafeRawBufferPointer, at offset: Int)

        /// Writes what was received, and not written yet.
        func flush()
    }
}
