import SystemPackage

/// The forward-only byte sink of a pipe: passes on what libsndfile writes in order; nothing can be changed afterwards.
///
/// A WAV header states the length of the samples. It is unknown here, so the header has the largest number possible,
/// which readers understand as "until the end". They would read anything after the samples as samples too, so none of
/// that is written.
///
/// Used by one thread at a time, the one that calls libsndfile.
final class ForwardByteSink: ByteSink {
    private let pipe: OutputPipe
    private let container: Container
    private let layout: ChannelLayout
    /// The header of a WAV stream until it is written; libsndfile rewrites it while the stream is being set up.
    private var header: WAVHeader?
    /// The length of libsndfile's header, and how many bytes longer the one written is.
    private var headerLength = 0
    private var addedByteCount = 0
    /// The number of bytes written to the pipe.
    private(set) var byteCount = 0
    private(set) var failure: Errno?
    private var isComplete = false

    init(_ pipe: OutputPipe, container: Container, layout: ChannelLayout) {
        self.pipe = pipe
        self.container = container
        self.layout = layout
    }

    /// The length as libsndfile knows it.
    var length: Int { max(headerLength, byteCount - addedByteCount) }

    func receive(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        guard !isComplete else { return }
        if offset == 0, byteCount == 0,
            let header = container.header(writtenBySoundFile: bytes, layout) as? WAVHeader
        {
            (self.header, headerLength, addedByteCount) = (header, bytes.count, header.addedByteCount)
            return
        }
        if let header = header.take() { header.bytesOfUnknownLength.withUnsafeBytes(write) }
        guard offset + addedByteCount == byteCount else { return }
        write(bytes)
    }

    /// Ends the samples: what libsndfile writes from now on to a WAV stream is dropped.
    func complete() {
        isComplete = container.traits.isWAV
    }

    private func write(_ bytes: UnsafeRawBufferPointer) {
        guard failure == nil else { return }
        let (count, cause) = pipe.write(bytes)
        byteCount += count
        failure = cause
    }
}
