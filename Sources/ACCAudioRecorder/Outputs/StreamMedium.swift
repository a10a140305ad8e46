import SystemPackage

/// A pipe that libsndfile writes to: what comes in order goes there, and nothing of it can be changed any more.
///
/// A WAV header says how long the samples are. Here nobody knows, so it says the largest number there is, which readers
/// take for "until the end"; whatever libsndfile would write behind the samples they would take for samples.
///
/// Used by one thread at a time, the one that calls libsndfile.
final class StreamMedium: SoundFileMedium {
    private let pipe: OutputPipe
    private let isWAV: Bool
    /// The header of a WAV stream, which libsndfile writes anew while it learns what is in it.
    private var header: WAVHeader?
    private var headerLength = 0
    /// Bytes that the pipe has taken.
    private(set) var byteCount = 0
    private(set) var failure: Errno?
    private var isComplete = false

    init(_ pipe: OutputPipe, isWAV: Bool) {
        self.pipe = pipe
        self.isWAV = isWAV
    }

    var length: Int { max(headerLength, byteCount) }

    func take(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        guard !isComplete else { return }
        if isWAV, offset == 0, byteCount == 0 {
            header = WAVHeader(writtenBySoundFile: bytes)
            headerLength = bytes.count
            return
        }
        if let header = header.take() { header.bytesOfUnknownLength.withUnsafeBytes(write) }
        guard offset == byteCount else { return }
        write(bytes)
    }

    /// All samples have been written.
    func complete() {
        isComplete = isWAV
    }

    private func write(_ bytes: UnsafeRawBufferPointer) {
        guard failure == nil else { return }
        let (count, cause) = pipe.write(bytes)
        byteCount += count
        failure = cause
    }
}
