import CSndFile
import Glibc

/// Owns one libsndfile handle, open for reading.
struct SoundFileHandle: ~Copyable {
    let pointer: OpaquePointer
    let info: SF_INFO
    /// Retained until the handle is closed, because libsndfile has a pointer to it.
    private let part: Unmanaged<FilePart>?

    /// Opens a file, whose name may tell its format. Blocks as long as the file system does.
    init(path: String) throws(SoundFileReader.Failure) {
        var info = SF_INFO()
        guard let pointer = sf_open(path, Int32(SFM_READ), &info) else { throw .ofOpening }
        (self.pointer, self.info, part) = (pointer, info, nil)
    }

    /// Opens a part of a file that is a complete file itself.
    init(_ part: FilePart) throws(SoundFileReader.Failure) {
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

extension SoundFileReader.Failure {
    /// Why the last file could not be opened.
    fileprivate static var ofOpening: Self {
        switch Int(sf_error(nil)) {
        // libsndfile's text for a file that has the name of one with MPEG audio says that it does not exist.
        case SF_ERR_UNRECOGNISED_FORMAT, 7: Self(description: "its format is unknown")
        case 24: Self(description: "its header states no valid sample rate or channel count")
        case 29: Self(description: "libsndfile cannot read it")
        default: Self(description: String(cString: sf_strerror(nil)))
        }
    }
}
