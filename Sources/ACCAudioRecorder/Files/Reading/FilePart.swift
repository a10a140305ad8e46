import CSndFile
import Glibc
import SystemPackage

extension FilePart {
    /// A file that is open for reading.
    final class OpenFile {
        let descriptor: FileDescriptor

        init(path: String) throws(SoundFileFailure) {
            let file: FileDescriptor?
            do {
                file = try FileDescriptor.openFile(path, .readOnly)
            } catch {
                throw SoundFileFailure("\(error)")
            }
            // Reading from a pipe, which libsndfile does not always support, would wait for its writer.
            guard let file else { throw SoundFileFailure("it is not a file") }
            descriptor = file
        }

        deinit { try? descriptor.close() }
    }
}

/// A part of a file that libsndfile reads through its virtual I/O. Used by one thread at a time, the one that calls
/// libsndfile.
final class FilePart {
    private let file: OpenFile
    private let range: Range<Int>
    private var position = 0

    /// - Parameter range: Where the part lies in the file, in bytes.
    init(of file: OpenFile, _ range: Range<Int>) {
        (self.file, self.range) = (file, range)
    }

    /// The functions for libsndfile; each gets a pointer to the part.
    static var functions: SF_VIRTUAL_IO {
        SF_VIRTUAL_IO(
            get_filelen: { FilePart.of($0).map { Int64($0.range.count) } ?? -1 },
            seek: { offset, origin, part in FilePart.of(part).map { Int64($0.seek(Int(offset), origin)) } ?? -1 },
            read: { bytes, count, part in
                Int64(
                    FilePart.of(part)?.read(into: UnsafeMutableRawBufferPointer(start: bytes, count: Int(count))) ?? 0)
            },
            // Nothing is written while a file is read.
            write: { _, _, _ in 0 },
            tell: { FilePart.of($0).map { Int64($0.position) } ?? -1 })
    }

    private static func of(_ pointer: UnsafeMutableRawPointer?) -> FilePart? {
        pointer.map { Unmanaged.fromOpaque($0).takeUnretainedValue() }
    }

    /// Sets the position, also behind the end; -1, and the position stays, for one that no file has.
    private func seek(_ offset: Int, _ origin: Int32) -> Int {
        let start = origin == SEEK_CUR ? position : origin == SEEK_END ? range.count : 0
        let (target, isTooLarge) = start.addingReportingOverflow(offset)
        guard !isTooLarge, target >= 0 else { return -1 }
        position = target
        return position
    }

    /// Reads at the current position. Reads fewer bytes than there is room for at the end of the part and after an error.
    private func read(into bytes: UnsafeMutableRawBufferPointer) -> Int {
        let wanted = max(min(bytes.count, range.count - position), 0)
        var count = 0
        while count < wanted {
            let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[count..<wanted])
            let offset = Int64(range.lowerBound + position)
            guard let more = try? file.descriptor.read(fromAbsoluteOffset: offset, into: rest), more > 0 else { break }
            count += more
            position += more
        }
        return count
    }
}
