import SystemPackage

/// Reads a file line by line, so that a long file is never in memory as a whole.
struct FileLines {
    /// In bytes. A longer line is returned in pieces.
    private static let longest = 16 << 20
    private static let readSize = 1 << 16

    private let descriptor: FileDescriptor
    /// Bytes that were read but not returned yet begin at `start`.
    private var buffer: [UInt8] = []
    private var start = 0
    /// The number of lines returned.
    private(set) var count = 0
    /// The number of bytes returned, including line endings.
    private(set) var byteCount: Int64 = 0

    /// - Parameter descriptor: A file, positioned at its beginning.
    init(_ descriptor: FileDescriptor) {
        self.descriptor = descriptor
    }

    /// The next line without its line feed, or nil if no complete line is left.
    mutating func next() throws -> [UInt8]? {
        var searched = start
        while true {
            if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                return removeLine(upTo: end, endCount: 1)
            }
            guard buffer.count - start < Self.longest else { return removeLine(upTo: buffer.endIndex, endCount: 0) }
            buffer.removeFirst(start)
            start = 0
            searched = buffer.count
            let offset = byteCount + Int64(buffer.count)
            let more = try [UInt8](unsafeUninitializedCapacity: Self.readSize) {
                $1 = try descriptor.read(fromAbsoluteOffset: offset, into: UnsafeMutableRawBufferPointer($0))
            }
            if more.isEmpty { return nil }
            buffer += more
        }
    }

    private mutating func removeLine(upTo end: Int, endCount: Int) -> [UInt8] {
        let line = Array(buffer[start..<end])
        start = end + endCount
        count += 1
        byteCount += Int64(line.count + endCount)
        return line
    }
}
