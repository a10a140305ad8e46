import SystemPackage

/// Reads an audio file wherever it is asked to, and never beyond its end.
struct AudioFileReader {
    private let descriptor: FileDescriptor
    private let name: String
    /// The size of the file in bytes.
    let byteCount: Int

    /// - Parameters:
    ///   - descriptor: A file open for reading, which stays the caller's.
    ///   - name: What it is called in messages.
    init(_ descriptor: FileDescriptor, name: String) throws(ACCAudioRecorderError) {
        self.descriptor = descriptor
        self.name = name
        do {
            byteCount = Int(try descriptor.seek(offset: 0, from: .end))
        } catch {
            throw .repairFailed(.init(.cannotRead, "cannot read \(name)", cause: "\(error)", remedy: Self.remedy))
        }
    }

    private static let remedy = "See that it is a file that you can read, and that its disk can be read."

    /// Up to so many bytes from there; fewer where the file ends.
    func bytes(at offset: Int, count: Int) throws(ACCAudioRecorderError) -> [UInt8] {
        guard offset >= 0, offset < byteCount else { return [] }
        do {
            return try Array(unsafeUninitializedCapacity: min(count, byteCount - offset)) { buffer, filled in
                while filled < buffer.count {
                    let rest = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[filled...])
                    let more = try descriptor.read(fromAbsoluteOffset: Int64(offset + filled), into: rest)
                    guard more > 0 else { break }
                    filled += more
                }
            }
        } catch {
            throw .repairFailed(.init(.cannotRead, "cannot read \(name)", cause: "\(error)", remedy: Self.remedy))
        }
    }

    /// The error of a file that cannot be mended.
    func hopeless(_ cause: String, remedy: String) -> ACCAudioRecorderError {
        .repairFailed(.init(.damaged, "cannot mend \(name)", cause: cause, remedy: remedy))
    }
}
