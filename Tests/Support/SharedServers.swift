import Foundation
import Synchronization

/// The servers that the tests of this process share, one of each kind. They start with the first test that needs them and
/// end with the process.
enum SharedServers {
    /// A running server's script, and what it printed.
    private typealias Running = (script: ChildProcess, values: [String: String])

    private static let running = Mutex<[ServerKind: Running]>([:])

    /// Runs a body with a server that has no modules of other tests, and unloads those of the body.
    ///
    /// A server that the body has changed otherwise, or with which it has failed, is not used again.
    static func with<Value>(
        _ kind: ServerKind, _ body: (PrivateServer) async throws -> Value
    ) async throws -> Value {
        // Taken out, so that no other test has it meanwhile.
        let known = running.withLock { $0.removeValue(forKey: kind) }
        let current: Running
        if let known, known.script.isRunning {
            current = known
        } else {
            current = try await ServingScript.start("private-server", [kind.rawValue, "--steady"])
        }
        let server = try PrivateServer(kind, startedBy: current.script, current.values)
        do {
            let modules = try await server.moduleIndices()
            let value = try await body(server)
            let isReusable = server.isChanged ? false : try await server.isCleared(except: modules)
            if isReusable {
                running.withLock { $0[kind] = current }
            } else {
                current.script.closeInput()
            }
            return value
        } catch {
            current.script.closeInput()
            throw error
        }
    }
}

extension PrivateServer {
    fileprivate func moduleIndices() async throws -> Set<Int> {
        Set(
            try await pactl("list", "short", "modules").split(separator: "\n").compactMap { line in
                line.split(separator: "\t").first.flatMap { Int($0) }
            })
    }

    /// Clears the server for the next test. False if it has ended: on a busy machine, PulseAudio sometimes does not survive
    /// that a stream is killed or a module unloaded. What the test expects of it was seen before.
    fileprivate func isCleared(except modules: Set<Int>) async throws -> Bool {
        do {
            try await clear(except: modules)
            return true
        } catch {
            guard isRunning else { return false }
            throw error
        }
    }

    /// Unloads all modules but these, those that were loaded last first, and waits for the ends of streams and for files.
    private func clear(except modules: Set<Int>) async throws {
        for index in try await moduleIndices().subtracting(modules).sorted(by: >) { try await unloadModule(index) }
        var streams = ""
        try await eventually("end of all streams: \(streams)", within: 10) {
            streams = try await pactl("list", "short", "source-outputs") + pactl("list", "short", "sink-inputs")
            return streams.isEmpty
        }
        // A client that is ending may still put a file there; the server's script removes the rest.
        try? FileManager.default.removeItem(at: directory)
    }
}
