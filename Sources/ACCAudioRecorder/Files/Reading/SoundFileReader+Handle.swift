import CSndFile
import Glibc
import SystemPackage

extension SoundFileReader {
    /// Owns one libsndfile handle, open for reading.
    struct Handle: ~Copyable {
        let pointer: OpaquePointer
        let info: SF_INFO
        /// Retained until the handle is closed, because libsndfile has a pointer to it.
        private let part: Unmanaged<SoundFileReader.Part>?

        /// Opens a file, whose name may tell its format. Blocks as long as the file system does.
        init(path: String) throws(SoundFileFailure) {
            var info = SF_INFO()
            guard let pointer = sf_open(path, Int32(SFM_READ), &info) else { throw .ofOpening }
            (self.pointer, self.info, part) = (pointer, info, nil)
        }

        /// Opens a part of a file that is a complete file itself.
        init(_ part: SoundFileReader.Part) throws(SoundFileFailure) {
            var (info, functions) = (SF_INFO(), SoundFileReader.Part.functions)
            let retained = Unmanaged.passRetained(part)
            guard let pointer = sf_open_virtual(&functions, Int32(SFM_READ), &info, retained.toOpaque()) else {
                retained.release()
                throw .ofOpening
            }
            (self.pointer, self.info, self.part) = (pointer, info, retained)
        }

        deinit {
            sf_close(pointer)
            part?.release()
        }

        /// The number of frames that the header states; 0 if it states none.
        var frameCount: Int {
            // libsndfile states the maximum where it does not know.
            (1..<1 << 62).contains(Int(info.frames)) ? Int(info.frames) : 0
        }

        /// Goes to a frame; false, without having moved, if the file does not allow that.
        func seek(to frame: Int) -> Bool {
            sf_seek(pointer, Int64(frame), SEEK_SET) == frame
        }
    }

    /// A part of a file that libsndfile reads through its virtual I/O. Used by one thread at a time, the one that calls
    /// libsndfile.
    final class Part {
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
                get_filelen: { Part.of($0).map { Int64($0.range.count) } ?? -1 },
                seek: { offset, origin, part in Part.of(part).map { Int64($0.seek(Int(offset), origin)) } ?? -1 },
                read: { bytes, count, part in
                    Int64(
                        Part.of(part)?.read(into: UnsafeMutableRawBufferPointer(start: bytes, count: Int(count))) ?? 0)
                },
                // Nothing is written while a file is read.
                write: { _, _, _ in 0 },
                tell: { Part.of($0).map { Int64($0.position) } ?? -1 })
        }

        private static func of(_ pointer: UnsafeMutableRawPointer?) -> Part? {
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
                guard let more = try? file.descriptor.read(fromAbsoluteOffset: offset, into: rest), more > 0 else {
                    break
                }
                count += more
                position += more
            }
            return count
        }
    }

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

/// Why a file cannot be read or written: libsndfile's words, and the system's error that caused it, if any, on which the
/// remedy of an output depends.
public struct SoundFileFailure: Error, CustomStringConvertible {
    let message: String
    let errno: Errno?

    init(_ message: String, errno: Errno? = nil) {
        self.message = message
        self.errno = errno
    }

    /// The system's words, or libsndfile's.
    public var description: String { errno?.description ?? message }
}

extension SoundFileFailure {
    /// Why the last file could not be opened.
    fileprivate static var ofOpening: Self {
        switch Int(sf_error(nil)) {
        // libsndfile's text for a file that has the name of one with MPEG audio says that it does not exist.
        case SF_ERR_UNRECOGNISED_FORMAT, 7:
            Self(
                "its format is unknown, not WAV, AIFF, CAF, FLAC, Ogg, MP3 or another that libsndfile reads")
        case 24: Self("its header states no valid sample rate or channel count")
        case 29: Self("libsndfile cannot read it")
        default: Self(String(cString: sf_strerror(nil)))
        }
    }
}
