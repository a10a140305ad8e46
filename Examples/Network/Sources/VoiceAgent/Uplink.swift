import ACCAudioRecorder
import NIOCore
import NIOWebSocket

/// Sends the audio of a recorder to a WebSocket server until the recording ends, and connects again whenever that is necessary.
struct Uplink {
    /// 20 ms of 16 kHz mono in each buffer.
    static let configuration = ACCAudioRecorder.Configuration(audioSessionMode: .voiceChat)
    /// The delays before a reconnection. Each is twice the one before.
    private static let delays = (shortest: Duration.milliseconds(100), longest: Duration.seconds(5))

    /// The server has closed the connection.
    struct Closed: Error {}

    let host: String
    let port: Int
    private let clock: any Clock<Duration>
    private let audio: Subscription<RecordedAudio>
    private let outbox = Outbox()
    /// Shows a line to the user.
    private let tell: @Sendable (String) -> Void

    /// Subscribes to the recorder, which should not have begun yet.
    ///
    /// - Parameter clock: The clock for the delays.
    init(
        of recorder: ACCAudioRecorder, to host: String, port: Int, clock: any Clock<Duration> = ContinuousClock(),
        tell: @escaping @Sendable (String) -> Void
    ) throws {
        (self.host, self.port, self.clock, self.tell) = (host, port, clock, tell)
        // Whoever was away wants to hear what is said now, not what was said then.
        audio = try recorder.buffers(
            format: .init(sampleRate: 16_000, channelCount: 1), policy: .newest(.seconds(2)))
    }

    /// Returns when the recording has ended and the server has everything.
    ///
    /// - Throws: `CancellationError` if the task is cancelled before.
    func run() async throws {
        var delay = Self.delays.shortest
        while await !outbox.isComplete {
            do {
                let socket = try await connectWebSocket(host: host, port: port)
                tell("connected to \(host):\(port)")
                delay = Self.delays.shortest
                try await send(over: socket)
            } catch {
                try Task.checkCancellation()
                tell("no connection, next attempt in \(delay): \(error)")
                try await clock.sleep(for: delay)
                delay = min(delay * 2, Self.delays.longest)
            }
        }
    }

    /// Sends until the server has everything.
    private func send(over socket: WebSocket) async throws {
        try await socket.executeThenClose { inbound, outbound in
            try await withThrowingTaskGroup { group in
                group.addTask { try await receive(inbound, replyingOver: outbound) }
                group.addTask {
                    for message in await outbox.reconnect() { try await outbound.write(message.frame()) }
                    if await !outbox.hasEnded { try await sendAudio(outbound) }
                }
                // If one fails, the other one is cancelled.
                for try await _ in group {}
            }
        }
    }

    /// Sends what is recorded until the recording ends.
    private func sendAudio(_ outbound: NIOAsyncChannelOutboundWriter<WebSocketFrame>) async throws {
        // A new iterator goes on where that of the last connection has stopped.
        for await part in audio {
            if let message = try await outbox.add(part) { try await outbound.write(message.frame()) }
            if await outbox.hasEnded { return }
        }
        throw CancellationError()
    }

    /// Takes acknowledgements until everything is acknowledged.
    private func receive(
        _ inbound: NIOAsyncChannelInboundStream<WebSocketFrame>,
        replyingOver outbound: NIOAsyncChannelOutboundWriter<WebSocketFrame>
    ) async throws {
        for try await frame in inbound {
            switch frame.opcode {
            case .text:
                if let number = Int(String(buffer: frame.unmaskedData)) { await outbox.acknowledge(through: number) }
                if await outbox.isComplete { return }
            case .ping:
                let pong = WebSocketFrame(fin: true, opcode: .pong, maskKey: .random(), data: frame.unmaskedData)
                try await outbound.write(pong)
            case .connectionClose:
                throw Closed()
            default:
                break
            }
        }
        throw Closed()
    }
}
