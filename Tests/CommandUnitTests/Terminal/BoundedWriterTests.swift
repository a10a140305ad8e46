import Glibc
import Synchronization
import SystemPackage
import Testing

@testable import AccrecCommands

@Suite(.timeLimit(.minutes(1))) struct BoundedWriterTests {
    /// Runs a body with a pipe, and closes it.
    private func withPipe(_ body: (_ reading: Int32, _ writing: Int32) throws -> Void) throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { ends.forEach { close($0) } }
        try body(ends[0], ends[1])
    }

    private func read(_ count: Int, from descriptor: Int32) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count < count {
            let size = Glibc.read(descriptor, &buffer, min(buffer.count, count - bytes.count))
            guard size > 0 else { break }
            bytes += buffer.prefix(size)
        }
        return bytes
    }

    /// Writes to a pipe until it is full.
    ///
    /// - Returns: The number of bytes written.
    private func fill(_ descriptor: Int32) -> Int {
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        defer { _ = fcntl(descriptor, F_SETFL, 0) }
        let bytes = [UInt8](repeating: 0, count: 4_096)
        var size = 0
        while true {
            let count = write(descriptor, bytes, bytes.count)
            guard count > 0 else { return size }
            size += count
        }
    }

    /// Another process that shares the descriptor may make it non-blocking.
    @Test(arguments: [0, O_NONBLOCK])
    func unreadPipeDoesNotBlockAndLosesNothingThatFits(flags: Int32) throws {
        try withPipe { reading, writing in
            _ = fcntl(writing, F_SETFL, flags)
            let writer = BoundedWriter(writing, label: "test", capacity: 1 << 18)
            let message = [UInt8](repeating: UInt8(ascii: "m"), count: 1_000)
            // Three times the capacity of a pipe.
            for _ in 0..<200 { writer.write(message: message) }
            #expect(!writer.isIdle)
            writer.finish(timeout: 0.01, isExtended: true)
            try #require(!writer.isIdle)
            #expect(read(200_000, from: reading) == [UInt8](repeating: UInt8(ascii: "m"), count: 200_000))
            writer.finish(timeout: nil, isExtended: true)
            #expect(writer.isIdle)
        }
    }

    @Test func droppedMessagesAreReported() throws {
        try withPipe { reading, writing in
            let full = fill(writing)
            let writer = BoundedWriter(writing, label: "test", capacity: 1 << 18)
            let message = [UInt8](repeating: UInt8(ascii: "m"), count: 1 << 16)
            // Four of them are buffered.
            for _ in 0..<7 { writer.write(message: message) }
            _ = read(full + 4 * message.count, from: reading)
            // The queue counts a message when it is written.
            writer.finish(timeout: nil, isExtended: true)
            writer.write(message: Array("last\n".utf8))
            writer.finish(timeout: nil, isExtended: true)
            let missed = "accrec: 3 messages were dropped here: the reader was too slow\nlast\n"
            let rest = String(decoding: read(missed.utf8.count, from: reading), as: UTF8.self)
            #expect(rest == missed)
        }
    }

    @Test("What cannot be written is dropped, and where failures count, what follows, too", arguments: [false, true])
    func failures(count: Bool) throws {
        try withPipe { reading, writing in
            let failures = Mutex<[Errno]>([])
            let fail = { @Sendable (error: Errno) in failures.withLock { $0.append(error) } }
            // A descriptor that is open for reading only.
            let writer = BoundedWriter(reading, label: "test", capacity: 4, fail: count ? fail : nil)
            for _ in 0..<3 { writer.write(size: 1) { _ in [0] } }
            #expect(writer.finish(timeout: nil, isExtended: false))
            #expect(failures.withLock { $0 } == (count ? [.badFileDescriptor] : []))
            #expect(writer.failure == (count ? .badFileDescriptor : nil) && writer.isIdle)
        }
    }
}
