import Foundation
import TestSupport
import Testing

@testable import ACCAudioRecorder

/// The reasons for the absence of a server, by the sockets of a machine.
@Suite struct AbsentServerTests {
    private static let user: uid_t = 4_242

    /// The absence on a machine with these files below the runtime directories of its users.
    private static func absence(
        with files: [String], hasVariable: Bool
    ) async throws -> (cause: String, remedy: String)? {
        try await TemporaryDirectory.with { directory in
            let sessions = directory.path
            for file in files {
                let file = directory.appending(path: file)
                try FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data().write(to: file)
            }
            let absence = AbsentServer(
                user: user, runtimeDirectory: hasVariable ? "\(sessions)/\(user)" : nil, sessions: sessions)
            return absence.map {
                ($0.cause.replacing(sessions, with: "RUN"), $0.remedy.replacing(sessions, with: "RUN"))
            }
        }
    }

    @Test("A server whose directory is not in the environment, and a session without a server")
    func withoutVariable() async throws {
        let here = try #require(try await Self.absence(with: ["4242/pulse/native"], hasVariable: false))
        #expect(here.cause == "XDG_RUNTIME_DIR is not set" && here.remedy.contains("'RUN/4242'"))
        let none = try #require(try await Self.absence(with: [], hasVariable: false))
        #expect(none.cause == "XDG_RUNTIME_DIR is not set, and 'RUN/4242' has no socket of a sound server")
    }

    @Test("PipeWire without its PulseAudio server")
    func pipeWireAlone() async throws {
        let absence = try #require(try await Self.absence(with: ["4242/pipewire-0"], hasVariable: true))
        #expect(absence.cause == "PipeWire runs, but its PulseAudio server does not")
    }

    @Test("The server of another user, with the way to it", arguments: [true, false])
    func otherUser(hasVariable: Bool) async throws {
        let files = ["4243/pulse/native", "nobody/pulse/native"]
        let absence = try #require(try await Self.absence(with: files, hasVariable: hasVariable))
        #expect(absence.cause == "you are user 4242, and the server that runs is that of user 4243")
        #expect(absence.remedy.contains("PULSE_SERVER='unix:RUN/4243/pulse/native' and PULSE_COOKIE='~/.config/pulse/"))
    }

    @Test("Of a session as it should be, nothing is known")
    func nothing() async throws {
        #expect(try await Self.absence(with: ["4242/pulse/native", "4243/pulse/native"], hasVariable: true) == nil)
        #expect(try await Self.absence(with: ["4242/bus"], hasVariable: true) == nil)
    }

    @Test("An address whose socket may not be used is a matter of permission, any other one is not")
    func forbiddenAddress() async throws {
        try await TemporaryDirectory.with { directory in
            // Root may use all but what cannot be looked through.
            let file = directory.appending(path: "file")
            try Data().write(to: file)
            #expect(AbsentServer(address: "unix:\(file.path)/native") == nil)
            #expect(AbsentServer(address: "unix:/none") == nil && AbsentServer(address: "tcp:127.0.0.1:1") == nil)
        }
    }
}
