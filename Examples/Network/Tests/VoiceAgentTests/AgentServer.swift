import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket
import Synchronization

@testable import VoiceAgent

/// A WebSocket server that acknowledges what it receives, until it is killed.
final class AgentServer: Sendable {
    /// The messages of all connections.
    let messages: AsyncStream<ReceivedMessage>
    private let listener: any Channel
    private let connections: Connections

    /// The port that was asked for, or the one that the system has chosen.
    let port: Int

    /// - Parameters:
    ///   - port: Where to listen; 0 for any port.
    ///   - acknowledges: Whether it answers.
    init(port: Int = 0, acknowledges: Bool = true) async throws {
        let connections = Connections()
        let (messages, received) = AsyncStream.makeStream(of: ReceivedMessage.self)
        listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                connections.add(channel)
                let upgrader = NIOWebSocketServerUpgrader(
                    shouldUpgrade: { channel, _ in channel.eventLoop.makeSucceededFuture([:]) },
                    upgradePipelineHandler: { channel, _ in
                        channel.pipeline.addHandler(Agent(received, acknowledges: acknowledges))
                    })
                return channel.pipeline.configureHTTPServerPipeline(
                    withServerUpgrade: (upgraders: [upgrader], completionHandler: { _ in }))
            }
            .bind(host: "127.0.0.1", port: port).get()
        (self.messages, self.connections) = (messages, connections)
        self.port = listener.localAddress?.port ?? port
    }

    /// Listens no more, and closes all connections without a word.
    func kill() async throws {
        try await listener.close()
        for channel in connections.all { try? await channel.close() }
    }
}

/// What a server has received.
enum ReceivedMessage: Sendable {
    case audio(number: Int, samples: [Int16])
    case notice(Message.Notice)

    var number: Int {
        switch self {
        case .audio(let number, _): number
        case .notice(let notice): notice.number
        }
    }

    init?(_ frame: WebSocketFrame) {
        var data = frame.unmaskedData
        switch frame.opcode {
        case .binary:
            guard let number = data.readInteger(as: UInt64.self) else { return nil }
            var samples: [Int16] = []
            while let sample = data.readInteger(endianness: .little, as: Int16.self) { samples.append(sample) }
            self = .audio(number: Int(number), samples: samples)
        case .text:
            guard let notice = try? JSONDecoder().decode(Message.Notice.self, from: Data(data.readableBytesView))
            else { return nil }
            self = .notice(notice)
        default: return nil
        }
    }
}

private final class Connections: Sendable {
    private let channels = Mutex<[any Channel]>([])

    var all: [any Channel] { channels.withLock { $0 } }

    func add(_ channel: any Channel) { channels.withLock { $0.append(channel) } }
}

/// The server's end of a connection.
private final class Agent: ChannelInboundHandler, Sendable {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    private let received: AsyncStream<ReceivedMessage>.Continuation
    private let acknowledges: Bool

    init(_ received: AsyncStream<ReceivedMessage>.Continuation, acknowledges: Bool) {
        (self.received, self.acknowledges) = (received, acknowledges)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard let message = ReceivedMessage(unwrapInboundIn(data)) else { return }
        received.yield(message)
        guard acknowledges else { return }
        let answer = WebSocketFrame(fin: true, opcode: .text, data: ByteBuffer(string: "\(message.number)"))
        context.writeAndFlush(wrapOutboundOut(answer), promise: nil)
    }
}
