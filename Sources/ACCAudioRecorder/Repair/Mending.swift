/// What is to be done with a file to mend it.
struct Mending: Sendable, Hashable {
    /// Bytes that come to a place of the file.
    struct Patch: Sendable, Hashable {
        let offset: Int
        let bytes: [UInt8]
    }

    /// How much of the file is kept, in bytes.
    var keptByteCount: Int
    /// What is written over, within what is kept.
    var patches: [Patch] = []
    /// What comes in between, at a place in what is kept; nil where nothing moves. A file of its own is needed for that.
    var insertion: Patch?
    /// What comes after the end.
    var tail: [UInt8] = []

    /// Writes over bytes there, unless they are the same.
    ///
    /// - Returns: Whether they were not.
    mutating func patch(_ bytes: [UInt8], over old: [UInt8], at offset: Int) -> Bool {
        guard bytes != old else { return false }
        patches.append(Patch(offset: offset, bytes: bytes))
        return true
    }
}
