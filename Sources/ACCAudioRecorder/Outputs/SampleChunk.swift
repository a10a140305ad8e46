/// Room for encoded samples on their way to an output: words of 32 bits, integers left-justified or floats.
///
/// `@unchecked Sendable`: it has one user at a time, and is handed from one to the next through the queue's lock.
final class SampleChunk: @unchecked Sendable {
    private let bytes: UnsafeMutableRawBufferPointer
    private(set) var byteCount = 0

    init(byteCapacity: Int) {
        bytes = .allocate(byteCount: byteCapacity, alignment: 16)
    }

    deinit {
        bytes.deallocate()
    }

    /// What it holds.
    var content: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[..<byteCount]) }

    /// Takes as many of these bytes as there is room for.
    ///
    /// - Returns: How many it took.
    func append(_ more: UnsafeRawBufferPointer) -> Int {
        let count = min(more.count, bytes.count - byteCount)
        UnsafeMutableRawBufferPointer(rebasing: bytes[byteCount...]).copyMemory(
            from: UnsafeRawBufferPointer(rebasing: more[..<count]))
        byteCount += count
        return count
    }

    func removeAll() {
        byteCount = 0
    }
}
