import Testing

@testable import ACCAudioRecorder

@Suite struct AudioPermissionTests {
    @Test(
        "R-14: what an attempt to list the sources shows, in a sandbox and outside",
        arguments: [
            (
                Result<[AudioSource], CaptureFailure>.success([.made("mic")]), AudioPermission.granted,
                AudioPermission.granted
            ),
            // The server has no source outside of a sandbox, which hides them inside.
            (.success([]), .granted, .restricted),
            (.failure(CaptureFailure(.permissionDenied, "Access denied")), .denied, .denied),
            (.failure(CaptureFailure(.noServer, "Connection refused")), .noServer, .restricted),
            (.failure(CaptureFailure(.timedOut, "Timeout")), .noServer, .restricted),
        ])
    func permissions(
        sources: Result<[AudioSource], CaptureFailure>, outside: AudioPermission, inside: AudioPermission
    ) {
        #expect(AudioPermission(sources, isSandboxed: false) == outside)
        #expect(AudioPermission(sources, isSandboxed: true) == inside)
    }
}
