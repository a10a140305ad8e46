import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket

/// A connection to a WebSocket server.
typealias WebSocket = NIOAsyncChannel<WebSocketFrame, WebSocketFrame>

/// The server answers, but not as a WebSocket server does.
struct NoWebSocket: Error {}

/// Connects to the path `/` of a WebSocket server, within five seconds.
func connectWebSocket(host: String, port: Int) async throws -> WebSocket {
    let upgraded = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .connectTimeout(.seconds(5))
        .connect(host: host, port: port) { channel in
            channel.eventLoop.makeCompletedFuture {
                let upgrader = NIOTypedWebSocketClientUpgrader<WebSocket?> { channel, _ in
                    channel.eventLoop.makeCompletedFuture { try WebSocket(wrappingChannelSynchronously: channel) }
                }
                let request = HTTPRequestHead(
                    version: .http1_1, method: .GET, uri: "/", headers: ["Host": "\(host):\(port)"])
                let configuration = NIOTypedHTTPClientUpgradeConfiguration<WebSocket?>(
                    upgradeRequestHead: request, upgraders: [upgrader]
                ) { channel in channel.close().map { nil } }
                return try channel.pipeline.syncOperations.configureUpgradableHTTPClientPipeline(
                    configuration: .init(upgradeConfiguration: configuration))
            }
        }
    guard let socket = try await upgraded.get() else { throw NoWebSocket() }
    return socket
}
