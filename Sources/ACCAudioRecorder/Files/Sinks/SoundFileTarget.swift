import CSndFile
import Glibc
import SystemPackage

/// The target that libsndfile writes to through its virtual I/O. It reveals what libsndfile writes where, and the
/// system's error if a write fails.
///
/// Used by one thread at a time, the one that calls libsndfile.
final class SoundFileTarget {
    let byteSink: any ByteSink
    private var position = 0

    init(_ byteSink: any ByteSink) {
        self.byteSink = byteSink
    }

    /// The functions for libsndfile; each gets a pointer to the target.
    static var functions: SF_VIRTUAL_IO {
        SF_VIRTUAL_IO(
            get_filelen: { SoundFileTarget.of($0).map { Int64($0.byteSink.length) } ?? -1 },
            seek: { offset, origin, target in
                SoundFileTarget.of(target).map { Int64($0.seek(Int(offset), origin)) } ?? -1
            },
            // Nothing is read while a file is written.
            read: { _, _, _ in 0 },
            write: { bytes, count, target in
                SoundFileTarget.of(target)?.append(UnsafeRawBufferPointer(start: bytes, count: Int(count))) == true
                    ? count : 0
            },
            tell: { SoundFileTarget.of($0).map { Int64($0.position) } ?? -1 })
    }

    private static func of(_ pointer: UnsafeMutableRawPointer?) -> SoundFileTarget? {
        pointer.map { Unmanaged.fromOpaque($0).takeUnretainedValue() }
    }

    private func seek(_ offset: Int, _ origin: Int32) -> Int {
        position = offset + (origin == SEEK_CUR ? position : origin == SEEK_END ? byteSink.length : 0)
        return position
    }

    /// Writes bytes at the current position.
    private func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
        byteSink.receive(bytes, at: position)
        position += bytes.count
        return byteSink.failure == nil
    }
}

/// The bytes behind a `SoundFileTarget`. Used by one thread at a time, the one that calls libsndfile.
protocol ByteSink: AnyObject {
    /// The length in bytes.
    var length: Int { get }

    /// The error of a failed write; some of libsndfile's codecs do not report it.
    var failure: Errno? { get }

    /// Receives bytes that libsndfile writes at an offset.
    func receive(_ bytes: UnsafeRawBufferPointer, at offset: Int)
}
