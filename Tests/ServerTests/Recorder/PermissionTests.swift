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
}
