import CPulse
import Foundation
import Testing

@testable import ACCAudioRecorder

@Suite(.timeLimit(.minutes(1))) struct PulseMainLoopTests {
    /// What a server writes is a pipe here: it was told when the loop has called back for it.
    @Test("Whether everything that was told has been heard is seen from another thread, without the lock")
    func whatIsNotHeardIsSeen() async throws {
        let loop = try PulseMainLoop()
        let pipe = Pipe()
        let events = PA_IO_EVENT_INPUT
        let reader = loop.api.pointee.io_new(
            loop.api, pipe.fileHandleForReading.fileDescriptor, events,
            { _, _, descriptor, _, _ in
                var byte: UInt8 = 0
                read(descriptor, &byte, 1)
            }, nil)
        #expect(loop.calmly { true } == nil, "a loop that does not run hears nothing")
        try loop.start()
        try await Self.untilCalm(loop)

        loop.locked {
            pipe.fileHandleForWriting.write(Data([1]))
            #expect(loop.calmly { true } == nil, "it was told, and is not heard")
        }
        try await Self.untilCalm(loop)

        loop.locked { loop.api.pointee.io_free(reader) }
        loop.stop()
        #expect(loop.calmly { true } == nil)
    }

    private static func untilCalm(_ loop: PulseMainLoop) async throws {
        while loop.calmly({ true }) == nil { try await Task.sleep(for: .milliseconds(1)) }
    }
}
