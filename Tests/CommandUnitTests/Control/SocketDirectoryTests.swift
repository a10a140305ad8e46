import Foundation
import TestSupport
import Testing

@testable import AccrecCommands

/// Where the sockets of recordings are.
@Suite(.serialized)
struct SocketDirectoryTests {
    @Test("The directory is made for its user alone, also where it was there already")
    func isPrivate() async throws {
        try await RuntimeDirectory.with { runtime in
            for _ in 1...2 {
                let directory = try ControlSocket.Directory.create()
                #expect(directory.path == runtime.appending(path: "accrec").path && directory.isOwn)
                #expect(ControlSocket.Directory.all == [directory] && ControlSocket.Directory.fallback == nil)
                var status = stat()
                #expect(lstat(directory.path, &status) == 0 && status.st_mode & 0o777 == 0o700)
                #expect(chmod(directory.path, 0o777) == 0)
            }
        }
    }

    @Test("What is no directory of this user's is not used, and nothing in it is believed")
    func isOwn() async throws {
        try await RuntimeDirectory.with { runtime in
            let (place, real) = (runtime.appending(path: "accrec"), runtime.appending(path: "real"))
            try FileManager.default.createDirectory(at: real, withIntermediateDirectories: false)
            let socket = real.appending(path: "1-1.sock")
            try Data().write(to: socket)
            try FileManager.default.createSymbolicLink(at: place, withDestinationURL: real)
            #expect(throws: (any Error).self) { _ = try ControlSocket.Directory.create() }
            #expect(ControlSocket.Directory.all.map(\.isForeign) == [true] && ControlSocket.all().isEmpty)
        }
    }

    @Test(
        "Without a runtime directory of the environment, all that a recording of this user may use are looked through")
    func withoutEnvironment() async throws {
        try await RuntimeDirectory.with { _ in
            let paths = ["/run/user/\(geteuid())/accrec", "/tmp/accrec-\(geteuid())"]
            unsetenv(Environment.Variable.runtimeDirectory.rawValue)
            #expect(ControlSocket.Directory.all.map(\.path) == paths)
            setenv(Environment.Variable.runtimeDirectory.rawValue, "/run/user/\(geteuid())", 1)
            #expect(ControlSocket.Directory.all.map(\.path) == paths && ControlSocket.Directory.fallback == nil)
        }
    }
}
