import SystemPackage

/// What `SoundFileTarget` writes to. Used by one thread at a time, the one that calls libsndfile.
protocol SoundFileMedium: AnyObject {
    /// In bytes.
    var length: Int { get }

    /// Why something could not be written, if that is so; some of libsndfile's codecs do not tell.
    var failure: Errno? { get }

    /// Takes bytes, of which libsndfile says where they are to be.
    func take(_ bytes: UnsafeRawBufferPointer, at offset: Int)
}
