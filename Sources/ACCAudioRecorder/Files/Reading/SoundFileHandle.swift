import CSndFile
import Glibc
import SystemPackage

/// Owns one libsndfile handle, open for reading.
struct SoundFileHandle: ~Copyable {
    let pointer: OpaquePointer
    let info: SF_INFO
    /// Retained until the handle is closed, because libsndfile has a pointer to it.
    private let part: Unmanaged<FilePart>?

    /// Opens a file, whose name may tell its format. Blocks as long as the file system does.
    init(path: String) throws(SoundFileFailure) {
        var info = SF_INFO()
        guard let pointer = sf_open(path, Int32(SFM_READ), &info) else { throw .ofOpening }
        (self.pointer, self.info, part) = (pointer, info, nil)
    }

    /// Opens a part of a file that is a complete file itself.
    init(_ part: FilePart) throws(SoundFileFailure) {
        var (info, functions) = (SF_INFO(), FilePart.functions)
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

/// Why a file cannot be read or written: libsndfile's words, and the system's error that caused it, if any, on which the
/// remedy of an output depends.
package struct SoundFileFailure: Error, CustomStringConvertible {
    let message: String
    let errno: Errno?

    init(_ message: String, errno: Errno? = nil) {
        self.message = message
        self.errno = errno
    }

    package var description: String { errno?.description ?? message }
}

extension SoundFileFailure {
    /// Why the last file could not be opened.
    fileprivate static var ofOpening: Self {
        switch Int(sf_error(nil)) {
        // libsndfile's text for a file that has the name of one with MPEG audio says that it does not exist.
        case SF_ERR_UNRECOGNISED_FORMAT, 7: Self("its format is unknown")
        case 24: Self("its header states no valid sample rate or channel count")
        case 29: Self("libsndfile cannot read it")
        default: Self(String(cString: sf_strerror(nil)))
        }
    }
}
