import ACCAudioRecorder
import Foundation
import Hummingbird
import NIOCore
import NIOPosix
import ServiceLifecycle
import Testing

@testable import LevelsPage

/// The page is tested with a real server and a source whose time passes when the test says so.
@Suite(.timeLimit(.minutes(1)))
struct LevelsPageTests {
    @Test("Each viewer gets the levels of all channels, until the server ends")
    func levels() async throws {
        let clock = SyntheticClock()
        try await withServer(source: try Self.source(.clock(clock))) { port, shutDown in
            var viewers = [try await Viewer(port), try await Viewer(port)]
            for viewer in viewers.indices {
                try await viewers[viewer].request("/events")
                try await viewers[viewer].read(until: "text/event-stream")
            }
            clock.advance(by: .milliseconds(60))
            for viewer in viewers.indices {
                try await viewers[viewer].read(until: "event: levels\ndata: ")
                let json = try await viewers[viewer].read(until: "\n\n")
                let levels = try JSONDecoder().decode(RecordingLevels.self, from: Data(json.utf8))
                #expect(levels.channels.map { ($0.peakDecibels * 100).rounded() / 100 } == [-6.02, -12.04])
                #expect(levels.frame == 2_400)
            }
            shutDown()
            for viewer in viewers.indices {
                // The chunk of length 0 that ends a response.
                try await viewers[viewer].read(until: "\r\n0\r\n\r\n")
            }
        }
    }

    @Test("A viewer sees that the microphone is unplugged")
    func anUnpluggedMicrophone() async throws {
        let clock = SyntheticClock()
        let fault = SyntheticSource.Fault(.removed(.seconds(2)), atFrame: 48_000)
        try await withServer(source: try Self.source(.clock(clock), faults: [fault])) { port, _ in
            var viewer = try await Viewer(port)
            try await viewer.request("/events")
            try await viewer.read(until: "\"is_paused\":false")
            clock.advance(by: .seconds(1))
            try await viewer.read(until: "\"is_paused\":true")
            clock.advance(by: .seconds(2))
            try await viewer.read(until: "\"is_paused\":false")
        }
    }

    @Test("The page listens to the events")
    func page() async throws {
        try await withServer(source: try Self.source(.clock(SyntheticClock()))) { port, _ in
            var viewer = try await Viewer(port)
            try await viewer.request("/")
            try await viewer.read(until: "text/html")
            try await viewer.read(until: "new EventSource('events')")
        }
    }

    /// Half of full scale in the left channel, and half of that in the right one.
    private static func source(
        _ pace: SyntheticSource.Pace, faults: [SyntheticSource.Fault] = []
    ) throws -> SyntheticSource {
        try SyntheticSource(sampleRate: 48_000, channelCount: 2, pace: pace, faults: faults) { frame, channel in
            (frame % 2 == 0 ? 1 : -1) * (channel == 0 ? 0.5 : 0.25)
        }
    }

    /// Runs the page and its recording as long as a closure runs, which gets the port, and a closure that ends both.
    private func withServer(
        source: SyntheticSource, _ body: (_ port: Int, _ shutDown: () -> Void) async throws -> Void
    ) async throws {
        let recorder = ACCAudioRecorder(
            configuration: .init(bufferSize: 2_400, audioSessionMode: .measurement), source: source)
        let (lines, told) = AsyncStream.makeStream(of: String.self)
        let (ports, bound) = AsyncStream.makeStream(of: Int.self)
        let application = Application(
            router: LevelsPage(recorder: recorder).router(),
            configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            services: [Recording(recorder: recorder) { told.yield($0) }],
            onServerRunning: { bound.yield($0.localAddress?.port ?? 0) })
        let group = ServiceGroup(configuration: .init(services: [application], logger: application.logger))
        async let running: Void = group.run()
        #expect(await lines.first { _ in true } == "listening to synthetic")
        let port = try #require(await ports.first { _ in true })
        let shutDown = { _ = Task { await group.triggerGracefulShutdown() } }
        try await body(port, shutDown)
        shutDown()
        try await running
    }
}

/// A browser, as far as the tests need one.
private struct Viewer {
    /// The server has closed the connection.
    struct Closed: Error {}

    private let channel: any Channel
    private var chunks: AsyncStream<String>.Iterator
    /// What was received and not read yet.
    private var text = ""

    init(_ port: Int) async throws {
        let (chunks, received) = AsyncStream.makeStream(of: String.self)
        self.chunks = chunks.makeAsyncIterator()
        channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Receiver(received))
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
    }

    func request(_ path: String) async throws {
        try await channel.writeAndFlush(ByteBuffer(string: "GET \(path) HTTP/1.1\r\nhost: localhost\r\n\r\n"))
    }

    /// Waits for a text.
    ///
    /// - Returns: What stands before it.
    @discardableResult
    mutating func read(until end: String) async throws -> String {
        while true {
            if let range = text.range(of: end) {
                defer { text.removeSubrange(..<range.upperBound) }
                return String(text[..<range.lowerBound])
            }
            guard let chunk = await chunks.next() else { throw Closed() }
            text += chunk
        }
    }
}

private final class Receiver: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let received: AsyncStream<String>.Continuation

    init(_ received: AsyncStream<String>.Continuation) {
        self.received = received
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        received.yield(String(buffer: unwrapInboundIn(data)))
    }

    func channelInactive(context: ChannelHandlerContext) {
        received.finish()
    }
}
