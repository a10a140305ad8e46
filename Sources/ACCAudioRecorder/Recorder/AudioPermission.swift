import FoundationEssentials
import Glibc

/// Whether this program may use microphones, as far as Linux can tell.
///
/// There is no prompt as on other systems: a program that reaches the sound server may record, unless the server or the
/// program's sandbox prevents it.
@nonexhaustive
public enum AudioPermission: String, Sendable, Hashable, CaseIterable {
    /// The server answers and lists its sources.
    case granted
    /// The server refuses this user.
    case denied
    /// A sandbox (Flatpak or Snap) hides the server or its sources.
    case restricted
    /// No server answers.
    case noServer

    /// The permission now.
    ///
    /// - Parameter serverName: As in a recorder's configuration.
    public static func current(serverName: String? = nil) async -> AudioPermission {
        await check(at: serverName).permission
    }

    /// The permission now, and again at each change. Ends when its consumer releases the stream.
    ///
    /// Keeps a connection open, so that its end is noticed at once; without one, it tries to connect every second.
    ///
    /// - Parameter serverName: As in a recorder's configuration.
    public static func changes(serverName: String? = nil) -> AsyncStream<AudioPermission> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let observation = Task {
                var last: AudioPermission?
                while !Task.isCancelled {
                    let (permission, connection) = await check(at: serverName)
                    if permission != last { continuation.yield(permission) }
                    last = permission
                    if let connection {
                        await connection.waitUntilClosed()
                    } else {
                        try? await Task.sleep(for: .seconds(1))
                    }
                }
            }
            continuation.onTermination = { _ in observation.cancel() }
        }
    }

    /// The permission, and the connection it was read from, if there is one.
    private static func check(at serverName: String?) async -> (
        permission: AudioPermission, connection: (any CaptureConnection)?
    ) {
        do throws(CaptureFailure) {
            let connection = try await ACCAudioRecorder.Configuration.Capture(serverName: serverName).backend.connect()
            let sources = try await connection.sourceCatalog().sources
            return (Self(.success(sources), isSandboxed: isSandboxed), connection)
        } catch {
            return (Self(.failure(error), isSandboxed: isSandboxed), nil)
        }
    }

    /// The permission that an attempt to list the sources shows.
    init(_ sources: Result<[AudioSource], CaptureFailure>, isSandboxed: Bool) {
        switch sources {
        case .success(let sources): self = sources.isEmpty && isSandboxed ? .restricted : .granted
        case .failure(let failure) where failure.reason == .permissionDenied: self = .denied
        case .failure: self = isSandboxed ? .restricted : .noServer
        }
    }

    private static var isSandboxed: Bool {
        access("/.flatpak-info", F_OK) == 0 || RecorderVariable.snap.value != nil
    }
}
