import CSndFile
import SystemPackage

/// The owner of one libsndfile handle, open for writing.
struct SoundFile: ~Copyable {
    private let handle: OpaquePointer
    /// Retained until the handle is closed, for libsndfile has a pointer to it.
    private let target: Unmanaged<SoundFileTarget>

    /// Writes the header to an open, empty file.
    init(target: SoundFileTarget, info: SF_INFO) throws(SoundFileFailure) {
        var (info, functions) = (info, SoundFileTarget.functions)
        self.target = Unmanaged.passRetained(target)
        guard let handle = sf_open_virtual(&functions, Int32(SFM_WRITE), &info, self.target.toOpaque()) else {
            self.target.release()
            throw SoundFileFailure(message: String(cString: sf_strerror(nil)), errno: target.medium.failure)
        }
        self.handle = handle
    }

    deinit {
        sf_close(handle)
        target.release()
    }

    /// Writes interleaved integers, left-justified in 32 bits.
    func write(_ samples: UnsafeBufferPointer<Int32>) throws(SoundFileFailure) {
        let count = sf_write_int(handle, samples.baseAddress, Int64(samples.count))
        guard count == samples.count, systemFailure == nil else { throw failure }
    }

    /// Writes interleaved floating-point samples, full scale at ±1.
    func write(_ samples: UnsafeBufferPointer<Float>) throws(SoundFileFailure) {
        let count = sf_write_float(handle, samples.baseAddress, Int64(samples.count))
        guard count == samples.count, systemFailure == nil else { throw failure }
    }

    /// Brings the header up to date with what was written, so that the file can be opened as it is.
    func updateHeader() {
        sf_command(handle, Int32(SFC_UPDATE_HEADER_NOW), nil, 0)
    }

    /// Writes what is left and completes the header.
    consuming func close() throws(SoundFileFailure) {
        let status = sf_close(handle)
        let systemFailure = systemFailure
        target.release()
        discard self
        guard status == 0, systemFailure == nil else {
            throw SoundFileFailure(message: String(cString: sf_error_number(status)), errno: systemFailure)
        }
    }

    private var failure: SoundFileFailure {
        SoundFileFailure(message: String(cString: sf_strerror(handle)), errno: systemFailure)
    }

    private var systemFailure: Errno? { target.takeUnretainedValue().medium.failure }
}

// MARK: - Before the first sample

extension SoundFile {
    /// Begins what an output writes.
    ///
    /// - Parameters:
    ///   - info: What its container is to libsndfile.
    ///   - isStream: Whether nothing can be written anew later on.
    static func begin(
        _ target: SoundFileTarget, info: SF_INFO, output: RecordingOutput, form: FrameForm, isStream: Bool
    ) throws(SoundFileFailure) -> SoundFile {
        let container = output.container
        let file = try SoundFile(target: target, info: info)
        if isStream {
            // The peak comes too late.
            sf_command(file.handle, Int32(SFC_SET_ADD_PEAK_CHUNK), nil, Int32(SF_FALSE))
        } else if container.wavForm != nil {
            try file.keepRoom()
        }
        if let positions = container.maskNumbers(for: form.channelMap) { try file.setChannelMap(positions) }
        if let compression = output.compression { try file.compress(compression, container, form) }
        if container == .opus { file.setPageLength(milliseconds: isStream ? 20 : 250) }
        return file
    }

    /// Says in the file what it is.
    ///
    /// - Parameters:
    ///   - start: When the first frame of the output was captured.
    ///   - firstFrame: The number of the file's first frame in the output.
    func label(with labels: FileLabels, start: WallClock, firstFrame: Int) {
        let time =
            labels.storesStartTime
            ? BroadcastTime(start: start, frame: firstFrame, rate: labels.form.sampleRate) : nil
        // What cannot be written shows again with the first samples.
        if let time, labels.container.hasBroadcastInfo {
            try? setBroadcastInfo(time, description: labels.description, codingHistory: labels.codingHistory)
        }
        guard !labels.container.tags.isEmpty else { return }
        try? set(SF_STR_SOFTWARE, Array(labels.program.utf8))
        for (tag, text) in labels.tags(at: labels.container.hasBroadcastInfo ? nil : time) {
            // libsndfile takes the text of an MP3 file for Latin-1.
            let bytes =
                labels.container == .mp3
                ? text.unicodeScalars.map { UInt8(exactly: $0.value) ?? UInt8(ascii: "?") } : Array(text.utf8)
            try? set(tag.soundFileString, bytes)
        }
    }

    /// Keeps room in the header of a WAV file.
    private func keepRoom() throws(SoundFileFailure) {
        var chunk = SF_CHUNK_INFO()
        Self.copy(WAVHeader.reserve.name, to: &chunk.id)
        chunk.id_size = UInt32(WAVHeader.reserve.name.utf8.count)
        var content = WAVHeader.reserve.content
        let status = content.withUnsafeMutableBytes { bytes in
            (chunk.datalen, chunk.data) = (UInt32(bytes.count), bytes.baseAddress)
            return sf_set_chunk(handle, &chunk)
        }
        guard status == 0 else { throw failure }
    }

    /// Says how hard to compress.
    private func compress(_ compression: Compression, _ container: Container, _ form: FrameForm)
        throws(SoundFileFailure)
    {
        var level = container.soundFileLevel(of: compression, form)
        guard sf_command(handle, Int32(SFC_SET_COMPRESSION_LEVEL), &level, Int32(MemoryLayout<Double>.size)) != 0 else {
            throw failure
        }
        guard container == .mp3, case .bitRate = compression else { return }
        // Only now, for a mode without a level is refused.
        var mode = Int32(SF_BITRATE_MODE_CONSTANT)
        guard sf_command(handle, Int32(SFC_SET_BITRATE_MODE), &mode, Int32(MemoryLayout<Int32>.size)) != 0 else {
            throw failure
        }
    }

    /// Lets an Ogg Opus file have a page that often.
    private func setPageLength(milliseconds: Double) {
        // What it returns says nothing.
        var length = milliseconds
        sf_command(handle, Int32(SFC_SET_OGG_PAGE_LATENCY_MS), &length, Int32(MemoryLayout<Double>.size))
    }

    /// Says which position each channel has.
    ///
    /// - Parameter positions: libsndfile's numbers for them.
    private func setChannelMap(_ positions: [Int32]) throws(SoundFileFailure) {
        var positions = positions
        let size = Int32(positions.count * MemoryLayout<Int32>.size)
        guard sf_command(handle, Int32(SFC_SET_CHANNEL_MAP_INFO), &positions, size) != 0 else { throw failure }
    }

    /// Sets one of libsndfile's strings (`SF_STR_COMMENT` …).
    private func set(_ kind: Int, _ text: [UInt8]) throws(SoundFileFailure) {
        let status = (text + [0]).withUnsafeBytes {
            sf_set_string(handle, Int32(kind), $0.baseAddress?.assumingMemoryBound(to: CChar.self))
        }
        guard status == 0 else { throw failure }
    }

    /// Writes a `bext` chunk (EBU Tech 3285): when the recording begins, of what, by which program, and how it was made.
    ///
    /// - Parameter codingHistory: A line, to which libsndfile adds one for the file itself.
    private func setBroadcastInfo(
        _ time: BroadcastTime, description: String, codingHistory: String
    ) throws(SoundFileFailure) {
        var info = SF_BROADCAST_INFO()
        Self.copy(description, to: &info.description)
        Self.copy("accrec", to: &info.originator)
        Self.copy(time.date, to: &info.origination_date)
        Self.copy(time.time, to: &info.origination_time)
        info.time_reference_low = UInt32(truncatingIfNeeded: time.reference)
        info.time_reference_high = UInt32(truncatingIfNeeded: time.reference >> 32)
        Self.copy(codingHistory, to: &info.coding_history)
        let size = Int32(MemoryLayout<SF_BROADCAST_INFO>.size)
        guard sf_command(handle, Int32(SFC_SET_BROADCAST_INFO), &info, size) != 0 else { throw failure }
    }

    /// Fills a field of characters, which needs no zero at its end.
    private static func copy<Field>(_ text: String, to field: inout Field) {
        withUnsafeMutableBytes(of: &field) { $0.copyBytes(from: text.utf8.prefix($0.count)) }
    }
}

/// What libsndfile said when it could not do a thing, and what the system had said to it.
struct SoundFileFailure: Error, CustomStringConvertible {
    let message: String
    let errno: Errno?
    var description: String { errno?.description ?? message }
}
