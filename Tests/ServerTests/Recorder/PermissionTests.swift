import ACCAudioRecorder
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(1)))
struct PermissionTests {
    @Test("R-14: the permission is reported, and its changes are observed", arguments: ServerKind.allCases)
    func permissionIsObserved(kind: ServerKind) async throws {
        #expect(await AudioPermission.current(serverName: "unix:/nonexistent/native") == .noServer)
        try await PrivateServer.with(kind) { server in
            #expect(await AudioPermission.current(serverName: server.address) == .granted)
            var changes = AudioPermission.changes(serverName: server.address).makeAsyncIterator()
            #expect(await changes.next() == .granted)
            try await server.kill()
            #expect(await changes.next() == .noServer)
        }
    }

    @Test("R-14: a server that refuses this user denies the permission")
    func permissionIsDenied() async throws {
        try await PrivateServer.with(.pulseAudio) { server in
            let port = try LoopbackPort.free()
            try await server.loadModule(
                "module-native-protocol-tcp",
                ["listen=127.0.0.1", "port=\(port)", "auth-anonymous=no", "auth-cookie-enabled=no"])
            let address = "tcp:127.0.0.1:\(port)"
            #expect(await AudioPermission.current(serverName: address) == .denied)
            var changes = AudioPermission.changes(serverName: address).makeAsyncIterator()
            #expect(await changes.next() == .denied)
        }
    }
}
