import SystemPackage

/// The changes that repair a file.
struct RepairPlan: Sendable, Hashable {
    /// Bytes to write at an offset of the file.
    struct Patch: Sendable, Hashable {
        let offset: Int
        let bytes: [UInt8]
    }

    /// The number of bytes to keep of the file.
    var keptByteCount: Int
    /// Bytes to overwrite within what is kept.
    var patches: [Patch] = []
    /// Bytes to insert into what is kept; nil if nothing moves. An insertion requires a new file.
    var insertion: Patch?
    /// Bytes to append.
    var tail: [UInt8] = []

    /// Adds a patch, unless the bytes are already the same.
    ///
    /// - Returns: Whether they differ.
    mutating func patch(_ bytes: [UInt8], over old: [UInt8], at offset: Int) -> Bool {
        guard bytes != old else { return false }
        patches.append(Patch(offset: offset, bytes: bytes))
        return true
    }
}

extension RepairPlan {
    /// Repairs a file in place; there must be no insertion.
    func apply(to file: FileDescriptor) throws(Errno) {
        try write(over: file, end: keptByteCount)
        if let failure = file.sync() { throw failure }
    }

    /// Writes the repaired file to another one, which is empty.
    func write(from file: FileDescriptor, to new: FileDescriptor) throws(Errno) {
        let place = insertion?.offset ?? keptByteCount
        try file.copy(0..<place, to: new, at: 0)
        let insertion = insertion?.bytes ?? []
        try Self.write(insertion, to: new, at: place)
        try file.copy(place..<keptByteCount, to: new, at: place + insertion.count)
        try write(over: new, end: keptByteCount + insertion.count)
    }

    /// - Parameter end: The offset in bytes at which what is kept ends.
    private func write(over file: FileDescriptor, end: Int) throws(Errno) {
        do {
            try file.resize(to: Int64(end))
        } catch {
            throw error as? Errno ?? .ioError
        }
        let shift = insertion?.bytes.count ?? 0
        for patch in patches {
            let isBehind = patch.offset >= insertion?.offset ?? .max
            try Self.write(patch.bytes, to: file, at: patch.offset + (isBehind ? shift : 0))
        }
        try Self.write(tail, to: file, at: end)
    }

    private static func write(_ bytes: [UInt8], to file: FileDescriptor, at offset: Int) throws(Errno) {
        let failure = bytes.withUnsafeBytes { file.writeMost(of: $0, at: Int64(offset)).failure }
        if let failure { throw failure }
    }
}
