import FoundationEssentials
import Glibc

/// What can be said on Linux of this program's access to microphones.
///
/// There is no prompt as on other systems: whoever reaches the sound server may record, unless the server or
/// the sandbox around the program says otherwise.
public enum AudioPermission: String, Sendable, Hashable, CaseIterable {
    /// The server is there and shows its sources.
    case granted
    /// The server is there and refuses this user.
    case denied
    /// A sandbox (Flatpak or Snap) keeps the server or its sources away.
    case restricted
    /// No server answers.
    case noServer

    /// Asks now.
    ///
    /// - Parameter serverName: As in a recorder's configuration.
    public static func current(serverName: String? = nil) async -> AudioPermission {
        await look(at: serverName).permission
    }

    /// The permission now, and each time that it changes. Ends when its consumer lets go of it.
    ///
    /// A connection is held and its end noticed at once; while there is none, the server is looked for every
    /// second.
    ///
    /// - Parameter serverName: As in a recorder's configuration.
    public static func changes(serverName: String? = nil) -> AsyncStream<AudioPermission> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let observation = Task {
                var last: AudioPermission?
                while !Task.isCancelled {
                    let (permission, control) = await look(at: serverName)
                    if permission != last { continuation.yield(permission) }
                    last = permission
                    if let control {
                        await control.waitUntilClosed()
                    } else {
                        try? await Task.sleep(for: .seconds(1))
                    }
                }
            }
            continuation.onTermination = { _ in observation.cancel() }
        }
    }

    /// What there is to say, and the connection that says so, where there is one.
    private static func look(at serverName: String?) async -> (permission: AudioPermission, control: PulseControl?) {
        do throws(PulseFailure) {
            let control = try await PulseControl.connect(to: serverName)
            let sources = try await control.serverAndSources().sources
            return (sources.isEmpty && isSandboxed ? .restricted : .granted, control)
        } catch {
            if error.reason == .permissionDenied { return (.denied, nil) }
            return (isSandboxed ? .restricted : .noServer, nil)
        }
    }

    private static var isSandboxed: Bool {
        access("/.flatpak-info", F_OK) == 0 || getenv("SNAP") != nil
    }
}
