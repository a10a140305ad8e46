import CSndFile
import Glibc

/// What libsndfile writes to, through its virtual input and output: so it is known what it writes where, and the cause of a
/// failure as the system told it.
///
/// Used by one thread at a time, the one that calls libsndfile.
final class SoundFileTarget {
    let medium: any SoundFileMedium
    private var position = 0

    init(_ medium: any SoundFileMedium) {
        self.medium = medium
    }

    /// The functions that libsndfile is given, of which each gets a pointer to the target.
    static var functions: SF_VIRTUAL_IO {
        SF_VIRTUAL_IO(
            get_filelen: { SoundFileTarget.of($0).map { Int64($0.medium.length) } ?? -1 },
            seek: { offset, origin, target in
                SoundFileTarget.of(target).map { Int64($0.seek(Int(offset), origin)) } ?? -1
            },
            // Nothing is read while a file is written.
            read: { _, _, _ in 0 },
            write: { bytes, count, target in
                SoundFileTarget.of(target)?.take(UnsafeRawBufferPointer(start: bytes, count: Int(count))) == true
                    ? count : 0
            },
            tell: { SoundFileTarget.of($0).map { Int64($0.position) } ?? -1 })
    }

    private static func of(_ pointer: UnsafeMutableRawPointer?) -> SoundFileTarget? {
        pointer.map { Unmanaged.fromOpaque($0).takeUnretainedValue() }
    }

    private func seek(_ offset: Int, _ origin: Int32) -> Int {
        position = offset + (origin == SEEK_CUR ? position : origin == SEEK_END ? medium.length : 0)
        return position
    }

    /// Writes bytes where the last ones ended, or was sought.
    private func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
        medium.take(bytes, at: position)
        position += bytes.count
        return medium.failure == nil
    }
}
