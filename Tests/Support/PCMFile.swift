import Foundation

/// The content of a WAV or FLAC file, read independently of the code under test.
public struct PCMFile: Sendable, Equatable {
    /// The sample rate in Hz.
    public let rate: Int
    /// The channel count.
    public let channels: Int
    /// Bits per sample: 8, 16, 24 or 32.
    public let bits: Int
    /// Whether samples are floats with full scale at 1; otherwise integers, signed except for 8 bits.
    public let isFloat: Bool
    /// The interleaved samples, little-endian.
    public let data: Data
    /// The speakers of an extensible WAV file, one bit each; nil for a plain one.
    public var channelMask: Int?

    /// The number of frames.
    public var frames: Int { data.count / (channels * bits / 8) }

    /// Creates a file from interleaved samples.
    public init(rate: Int, channels: Int, _ samples: [Int16]) {
        self.init(rate: rate, channels: channels, bits: 16, isFloat: false, data: Signal.data(samples))
    }

    /// Creates a file from interleaved samples.
    public init(rate: Int, channels: Int, _ samples: [Float]) {
        self.init(rate: rate, channels: channels, bits: 32, isFloat: true, data: Signal.data(samples))
    }

    private init(rate: Int, channels: Int, bits: Int, isFloat: Bool, data: Data) {
        self.rate = rate
        self.channels = channels
        self.bits = bits
        self.isFloat = isFloat
        self.data = data
    }

    /// Reads a WAV file: PCM of 8, 16, 24 or 32 bits or 32-bit float, with a plain or extensible format chunk.
    ///
    /// Strict even where players are tolerant: the sizes of the RIFF and data chunks must match the file.
    ///
    /// - Throws: `PCMFileError`; errors of reading the file.
    public init(wav url: URL) throws {
        let file = [UInt8](try Data(contentsOf: url))
        func number(_ offset: Int, _ size: Int) throws -> Int {
            guard offset + size <= file.count else { throw PCMFileError("\(url.path): cut off at \(offset)") }
            return (0..<size).reduce(0) { $0 | Int(file[offset + $1]) << (8 * $1) }
        }
        func tag(_ offset: Int) throws -> String {
            _ = try number(offset, 4)
            return String(decoding: file[offset..<offset + 4], as: UTF8.self)
        }

        guard try tag(0) == "RIFF", try tag(8) == "WAVE" else { throw PCMFileError("\(url.path): no RIFF/WAVE") }
        guard try number(4, 4) + 8 == file.count else {
            throw PCMFileError("\(url.path): RIFF size \(try number(4, 4)) in a file of \(file.count) bytes")
        }
        var format: (rate: Int, channels: Int, bits: Int, isFloat: Bool)?
        var channelMask: Int?
        var offset = 12
        while offset < file.count {
            let name = try tag(offset)
            let size = try number(offset + 4, 4)
            let content = offset + 8
            guard content + size <= file.count else { throw PCMFileError("\(url.path): \(name) exceeds the file") }
            if name == "fmt " {
                var code = try number(content, 2)
                if code == 0xfffe {
                    // WAVE_FORMAT_EXTENSIBLE: the format code is at the start of the sub-format GUID.
                    code = try number(content + 24, 2)
                    channelMask = try number(content + 20, 4)
                }
                format = (
                    try number(content + 4, 4), try number(content + 2, 2), try number(content + 14, 2), code == 3
                )
                guard code == 1 || code == 3 else { throw PCMFileError("\(url.path): format code \(code)") }
            } else if name == "data" {
                guard let format else { throw PCMFileError("\(url.path): data before fmt") }
                let known = format.isFloat ? [32] : [8, 16, 24, 32]
                guard known.contains(format.bits), format.channels > 0,
                    size % (format.channels * format.bits / 8) == 0
                else {
                    throw PCMFileError("\(url.path): \(size) bytes of \(format)")
                }
                self.init(
                    rate: format.rate, channels: format.channels, bits: format.bits, isFloat: format.isFloat,
                    data: Data(file[content..<content + size]))
                self.channelMask = channelMask
                return
            }
            offset = content + size + size % 2
        }
        throw PCMFileError("\(url.path): no data")
    }

    /// Reads a FLAC file with the `flac` command, after checking its MD5 sum.
    ///
    /// - Throws: `CommandFailure` if the file does not pass `flac -t`; `PCMFileError`.
    public init(flac url: URL) async throws {
        let wav = url.appendingPathExtension("wav")
        for command in [["flac", "-t", "-s", url.path], ["flac", "-d", "-s", "-f", "-o", wav.path, url.path]] {
            let result = try await ChildProcess.run(command)
            guard result.end == .exit(0) else { throw CommandFailure(command, result) }
        }
        try self.init(wav: wav)
        try FileManager.default.removeItem(at: wav)
    }

    /// Writes a WAV file with a plain format chunk.
    public func write(wav url: URL) throws {
        var file = Data()
        func append(_ value: Int, _ size: Int) {
            file.append(contentsOf: (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) })
        }
        let frameSize = channels * bits / 8
        file.append(contentsOf: "RIFF".utf8)
        append(36 + data.count + data.count % 2, 4)
        file.append(contentsOf: "WAVEfmt ".utf8)
        append(16, 4)
        append(isFloat ? 3 : 1, 2)
        append(channels, 2)
        append(rate, 4)
        append(rate * frameSize, 4)
        append(frameSize, 2)
        append(bits, 2)
        file.append(contentsOf: "data".utf8)
        append(data.count, 4)
        file.append(data)
        append(0, data.count % 2)
        try file.write(to: url)
    }

    /// The interleaved samples as stored, regardless of size, with silence at 0. Not for floats.
    public var integers: [Int32] {
        precondition(!isFloat)
        let size = bits / 8
        return data.withUnsafeBytes { bytes in
            (0..<bytes.count / size).map { index in
                var value: Int32 = 0
                for byte in 0..<size {
                    value |= Int32(bytes[index * size + byte]) << Int32(8 * byte)
                }
                if size == 1 { return value - 128 }
                // Shifting up and back extends the sign.
                return (value << Int32(32 - bits)) >> Int32(32 - bits)
            }
        }
    }

    /// The interleaved samples of a file of 16 bits; the upper 16 bits of one of 24, which sources of floating point give.
    public var int16: [Int16] {
        precondition(!isFloat && [16, 24].contains(bits))
        return bits == 16 ? Signal.int16(data) : integers.map { Int16(truncatingIfNeeded: $0 >> 8) }
    }

    /// The interleaved samples with full scale at 1, exact for every format.
    public var values: [Double] {
        guard !isFloat else { return Signal.float(data).map(Double.init) }
        let scale = 1 / pow(2, Double(bits - 1))
        return integers.map { Double($0) * scale }
    }

    /// The interleaved samples with full scale at 1, rounded to floats.
    public var floats: [Float] {
        isFloat ? Signal.float(data) : values.map(Float.init)
    }

    /// The samples of a channel, counted from 0, with full scale at 1.
    public func channel(_ channel: Int) -> [Float] {
        let samples = floats
        return stride(from: channel, to: samples.count, by: channels).map { samples[$0] }
    }
}
