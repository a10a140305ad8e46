import Foundation
import Synchronization

/// A source that delivers exactly the frames that a test generates: module-pipe-source, fed through a FIFO in real
/// time.
///
/// In PulseAudio 16.1 and pipewire-pulse 0.3.65 both servers read the FIFO only while somebody records. PulseAudio
/// reads as fast as it is fed, so the feeder sets the pace, and everything arrives. PipeWire reads by its own clock and
/// fills missing data with silence, so the FIFO is kept full; on an overloaded machine it may still drop 512 frames.
/// Only PulseAudio can therefore prove that a recorder loses nothing.
public final class PipeSourceFeeder: Sendable {
    private struct State {
        var framesWritten = 0
        var isStopped = false
        var hasEnded = false
        var framesToLeaveOut = 0
        var framesInTime = 0
    }

    /// A block that is written this late or less counts as written in time.
    private static let longestDelay = Duration.milliseconds(5)

    private let state = Mutex(State())

    /// The number of frames written to the FIFO so far, including those that the server has not read yet: at most 4096
    /// bytes with PulseAudio and 65,536 with PipeWire.
    public var framesWritten: Int { state.withLock { $0.framesWritten } }

    /// The number of frames written since a block was last written late, where the feeder sets the pace.
    public var framesInTime: Int { state.withLock { $0.framesInTime } }

    /// Skips this many frames while their time passes, like hardware that was not read in time. PulseAudio only.
    public func leaveOut(_ count: Int) {
        state.withLock { $0.framesToLeaveOut += count }
    }

    /// Whether writing has stopped because the server is gone.
    public var isDisconnected: Bool { state.withLock { $0.hasEnded && !$0.isStopped } }

    /// Runs a body with a server whose source `counter` delivers a counter from 0 in two channels of 16 bits.
    public static func withCounter<Value>(
        _ kind: ServerKind, _ body: (PrivateServer, PipeSourceFeeder) async throws -> Value
    ) async throws -> Value {
        try await PrivateServer.with(kind) { server in
            try await with("counter", on: server) { first, count in
                Signal.data(Signal.counter(from: UInt32(first), frames: count, channels: 2))
            } _: {
                try await body(server, $0)
            }
        }
    }

    /// Runs a body while the source exists and is fed without gaps.
    ///
    /// The source is not removed at the end.
    ///
    /// - Parameters:
    ///   - name: The name of the source.
    ///   - format: Its native format. The server reads 4096 bytes at a time, so the frame size must be a power of two.
    ///   - generate: Returns the given number of frames from a frame on; called in order on the feeder's own thread.
    /// - Throws: `CommandFailure` if the source cannot be created; errors of the body.
    public static func with<Value>(
        _ name: String,
        _ format: PCMFormat = PCMFormat(),
        on server: PrivateServer,
        properties: [String: String] = [:],
        generate: @escaping @Sendable (_ first: Int, _ count: Int) -> Data,
        _ body: (PipeSourceFeeder) async throws -> Value
    ) async throws -> Value {
        precondition(4096 % format.frameSize == 0)
        let fifo = server.directory.appending(path: "\(name).fifo").path
        let arguments =
            ["source_name=\(name)", "file=\(fifo)"] + format.moduleArguments
            + PrivateServer.argument("source_properties", properties)
        try await server.loadModule("module-pipe-source", arguments)
        try await server.waitForSource(name)
        // Succeeds at once, because the server has the other end open.
        let descriptor = open(fifo, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw CommandFailure("\(fifo): \(String(cString: strerror(errno)))") }

        if server.kind == .pulseAudio {
            // F_SETPIPE_SZ: a recording begins with the entire content of the FIFO.
            _ = fcntl(descriptor, 1031, 4096)
        }
        let feeder = PipeSourceFeeder()
        Thread.detachNewThread {
            Urgency.raiseThread()
            withPipeSignalBlocked { feeder.feed(descriptor, format, isPaced: server.kind == .pulseAudio, generate) }
        }
        let result: Result<Value, any Error>
        do {
            result = .success(try await body(feeder))
        } catch {
            result = .failure(error)
        }
        feeder.state.withLock { $0.isStopped = true }
        try await Task { try await eventually("end of the feeder") { feeder.state.withLock { $0.hasEnded } } }.value
        return try result.get()
    }

    /// Writes blocks of 10 ms: in real time, catching up if late, or as fast as they are read.
    private func feed(_ descriptor: Int32, _ format: PCMFormat, isPaced: Bool, _ generate: (Int, Int) -> Data) {
        let block = max(1, format.rate / 100)
        var clock = BlockClock()
        var frame = 0
        while true {
            let start = ContinuousClock.now
            guard write(generate(frame, block), to: descriptor, frameSize: format.frameSize) else { break }
            let leftOut = state.withLock { state in
                defer { state.framesToLeaveOut = 0 }
                return state.framesToLeaveOut
            }
            frame += block + leftOut
            guard isPaced else { continue }
            // Time in which nobody recorded is not followed by a burst.
            if ContinuousClock.now - start > .milliseconds(100) { clock = BlockClock() }
            let delay = clock.tick(after: Double(block + leftOut) / Double(format.rate))
            state.withLock { $0.framesInTime = delay > Self.longestDelay ? 0 : $0.framesInTime + block }
        }
        close(descriptor)
        state.withLock { $0.hasEnded = true }
    }

    /// Returns `false` when stopped, or when the server is gone.
    private func write(_ data: Data, to descriptor: Int32, frameSize: Int) -> Bool {
        // 4096 bytes are what the server reads at a time, and what is written atomically (PIPE_BUF).
        for start in stride(from: 0, to: data.count, by: 4096) {
            let part = data[start..<min(start + 4096, data.count)]
            while part.withUnsafeBytes({ Foundation.write(descriptor, $0.baseAddress, $0.count) }) < 0 {
                guard errno == EAGAIN || errno == EINTR else { return false }
                var space = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&space, 1, 20)
                if state.withLock({ $0.isStopped }) { return false }
            }
            state.withLock { $0.framesWritten += part.count / frameSize }
        }
        return !state.withLock { $0.isStopped }
    }
}
