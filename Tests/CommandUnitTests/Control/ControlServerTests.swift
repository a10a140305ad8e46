import Foundation
import Synchronization
import TestSupport
import Testing

@testable import AccrecCommands

/// The server of a recording's socket, and a client of it.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct ControlServerTests {
    /// Runs a body with a server, the requests to it, and a client.
    private func withServer(
        lastWait: Duration = .milliseconds(500),
        _ body: (
            ControlServer, AsyncStream<ControlServer.Client>, inout ControlClient
        ) async throws -> Void
    ) async throws {
        try await RuntimeDirectory.with { _ in
            let (requests, continuation) = AsyncStream.makeStream(of: ControlServer.Client.self)
            let server = try ControlServer.begin(lastWait: lastWait) { client, _ in continuation.yield(client) }
            var client = try ControlClient(try #require(ControlSocket.all().first))
            try await body(server, requests, &client)
            await server.end()
        }
    }

    /// How many sockets had a name when this process began to listen.
    fileprivate static let namedAtListening = Atomic(-1)

    @Test("A socket has its name only when somebody listens, so that no client takes it for one that was left behind")
    func isNamedLast() async throws {
        try await withServer { _, _, _ in
            #expect(Self.namedAtListening.load(ordering: .relaxed) == 0)
            #expect(ControlSocket.all().count == 1)
        }
    }

    /// What a client may leave unread, in bytes.
    private static let largestBacklog = 1 << 20

    @Test(
        "An answer of any length arrives, and the client may ask again",
        arguments: [1, largestBacklog - 1, largestBacklog, largestBacklog + 1, 5 * largestBacklog])
    func longAnswer(byteCount: Int) async throws {
        try await withServer { server, requests, client in
            let answer = Data(repeating: UInt8(ascii: "x"), count: byteCount)
            var requests = requests.makeAsyncIterator()
            for _ in 0..<2 {
                try client.send(ControlRequest(command: .stop))
                let number = try #require(await requests.next())
                try #require(server.send(answer + Data("\n".utf8), to: number))
                #expect(try client.nextLine(within: 10_000) == answer)
            }
        }
    }

    @Test("A request that has come before the end is answered, even if the answer comes after it")
    func lateAnswer() async throws {
        try await withServer(lastWait: .seconds(30)) { server, requests, client in
            try client.send(ControlRequest(command: .stop))
            var requests = requests.makeAsyncIterator()
            let number = try #require(await requests.next())
            let end = Task { await server.end() }
            try await eventually("the end") { ControlSocket.all().isEmpty }
            #expect(server.send(Data("done\n".utf8), to: number))
            #expect(try client.nextLine(within: 10_000) == Data("done".utf8))
            await end.value
        }
    }

    @Test("A client that leaves too much unread is dropped")
    func slowClient() async throws {
        try await withServer { server, requests, client in
            var requests = requests.makeAsyncIterator()
            try client.send(ControlRequest(command: .follow))
            let number = try #require(await requests.next())
            let piece = Data(repeating: UInt8(ascii: "x"), count: 64 << 10)
            // What the socket itself holds does not count.
            let count = (1...64).first { _ in !server.send(piece, to: number, isMore: true) }
            #expect((count ?? 0) > Self.largestBacklog / piece.count)
            #expect(!server.isConnected(to: number))
        }
    }

    @Test("A client that sends a request of 64 KiB is dropped")
    func longRequest() async throws {
        try await withServer { _, _, client in
            try client.send(ControlRequest(command: .mark, label: String(repeating: "x", count: 64 << 10)))
            #expect(try client.nextLine(within: 10_000) == nil)
        }
    }

    @Test("Of more clients than a recording serves, those that wait for something stay")
    func manyClients() async throws {
        try await withServer { server, requests, client in
            var requests = requests.makeAsyncIterator()
            try client.send(ControlRequest(command: .follow))
            let follower = try #require(await requests.next())
            let socket = try #require(ControlSocket.all().first)
            let idle = try (0..<200).map { _ in try LocalSocket(connectingTo: socket.path) }
            // Clients are accepted in the order in which they connect.
            let last = try ControlClient(socket)
            try last.send(ControlRequest(command: .status))
            _ = try #require(await requests.next())
            #expect(server.send(Data("still here\n".utf8), to: follower))
            #expect(try client.nextLine(within: 10_000) == Data("still here".utf8))
            withExtendedLifetime(idle) {}
        }
    }
}

/// Takes precedence over the C library's function. Only between bind and listen can be seen whether a socket that does not
/// listen has a name, and nothing else of the program runs there.
@_cdecl("listen")
func listening(_ socket: Int32, _ backlog: Int32) -> Int32 {
    ControlServerTests.namedAtListening.store(ControlSocket.all().count, ordering: .relaxed)
    typealias Listen = @convention(c) (Int32, Int32) -> Int32
    return unsafeBitCast(dlsym(UnsafeMutableRawPointer(bitPattern: -1), "listen"), to: Listen.self)(socket, backlog)
}
