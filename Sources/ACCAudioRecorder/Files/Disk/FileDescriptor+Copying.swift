import SystemPackage

extension FileDescriptor {
    /// Copies a range of the file to another one, in parts, so that files may have any size.
    ///
    /// - Parameters:
    ///   - offset: Where it begins in the other file.
    ///   - part: The largest part in bytes.
    ///   - didCopy: Called after each part.
    func copy(
        _ range: Range<Int>, to new: FileDescriptor, at offset: Int, part: Int = 1 << 20,
        didCopy: () throws(Errno) -> Void = {}
    ) throws(Errno) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: part, alignment: 16)
        defer { buffer.deallocate() }
        var done = 0
        while done < range.count {
            let wanted = UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(part, range.count - done)])
            let count: Int
            do {
                count = try read(fromAbsoluteOffset: Int64(range.lowerBound + done), into: wanted)
            } catch {
                throw error as? Errno ?? .ioError
            }
            guard count > 0 else { throw .ioError }
            let bytes = UnsafeRawBufferPointer(rebasing: wanted[..<count])
            if let failure = new.writeMost(of: bytes, at: Int64(offset + done)).failure { throw failure }
            done += count
            try didCopy()
        }
    }
}
