import Foundation
import TestSupport
import Testing

/// A recording as a service: what the service manager is told.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct ServiceTests {
    /// Beats every 0.2 s.
    private func service(_ socket: NotifySocket) -> [String: String] {
        ["NOTIFY_SOCKET": socket.name, "WATCHDOG_USEC": "400000"]
    }

    @Test(
        "The service manager is told that the recording has begun, what it does, and that it is alive while its source is there",
        arguments: ServerKind.allCases)
    func aRecordingReports(kind: ServerKind) async throws {
        try await Rooms.with(kind) { server, microphone in
            let socket = try NotifySocket(server.file("notify").path)
            let recording = TestRecording(on: server)
            let result = try await AccrecProcess.with(
                recording.record(), on: server, environment: service(socket)
            ) { accrec in
                let ready = try await socket.wait(for: "READY=1", accrec)
                let start = try await socket.wait(for: "STATUS=recording '\(recording.url.path)'", accrec)
                #expect(start >= ready - 1)
                var count = start
                for _ in 1...3 { count = try await socket.wait(for: "WATCHDOG=1", after: count, accrec) }

                try await server.unloadModule(microphone)
                count = try await socket.wait(for: "STATUS=waiting: ", after: count, accrec)
                // Several beats.
                try await SampleClock.with(of: "hall.monitor", on: server) { try await $0.wait(for: 1) }
                _ = try await Rooms.plugIn(to: server)
                let resumed = try await socket.wait(for: "STATUS=recording", after: count, accrec)
                #expect(!socket.lines[count..<resumed].contains("WATCHDOG=1"), "\(socket.lines)")
                try await socket.wait(for: "WATCHDOG=1", after: resumed, accrec)
                return try await recording.finish(accrec, after: 0.5)
            }
            #expect(result.end == .exit(0), "\(result.standardError)")
            #expect(socket.lines.last == "STOPPING=1", "\(socket.lines)")
            #expect(socket.lines.count { $0 == "READY=1" } == 1)
            #expect(socket.lines.contains("STATUS=finishing"))
        }
    }

    @Test("The watchdog hears nothing while the source is suspended")
    func aSuspendedSourceIsNoLife() async throws {
        try await Rooms.with(.pulseAudio) { server, _ in
            let socket = try NotifySocket("@accrec-test-\(UUID().uuidString)")
            let recording = TestRecording(on: server)
            let result = try await AccrecProcess.with(
                recording.record(), on: server, environment: service(socket)
            ) { accrec in
                var count = try await socket.wait(for: "WATCHDOG=1", accrec)
                try await server.pactl("suspend-source", "near", "1")
                count = try await socket.wait(for: "STATUS=waiting: source suspended", after: count, accrec)
                try await SampleClock.with(of: "hall.monitor", on: server) { try await $0.wait(for: 1) }
                #expect(!socket.lines.dropFirst(count).contains("WATCHDOG=1"), "\(socket.lines)")
                try await server.pactl("suspend-source", "near", "0")
                count = try await socket.wait(for: "STATUS=recording", after: count, accrec)
                try await socket.wait(for: "WATCHDOG=1", after: count, accrec)
                return try await recording.finish(accrec, after: 0.5)
            }
            #expect(result.end == .exit(0), "\(result.standardError)")
        }
    }

    @Test("A recording that waits is ready, and alive: for its start, or its time", arguments: ServerKind.allCases)
    func aWaitingRecordingReports(kind: ServerKind) async throws {
        try await Rooms.with(kind) { server, _ in
            for (options, status) in [
                (["--pre-roll", "1"], "STATUS=armed"), (["--start-at", "2099-01-01T18:00"], "STATUS=scheduled: "),
            ] {
                let socket = try NotifySocket(server.file("notify").path)
                let recording = TestRecording(on: server, "waiting.wav")
                let result = try await AccrecProcess.with(
                    recording.record(with: options), on: server, environment: service(socket)
                ) { accrec in
                    try await socket.wait(for: "READY=1", accrec)
                    try await socket.wait(for: status, accrec)
                    try await socket.wait(for: "WATCHDOG=1", accrec)
                    accrec.signal(SIGINT)
                    return try await accrec.wait()
                }
                #expect(!result.standardError.contains("service manager"), "\(result.standardError)")
                #expect(socket.lines.last == "STOPPING=1", "\(socket.lines)")
            }
        }
    }

    @Test("A recording whose source delivers nothing is not ready")
    func aStalledSourceIsNotReady() async throws {
        try await PrivateServer.with(.pulseAudio) { server in
            try await server.loadStalledSource("silent")
            let socket = try NotifySocket(server.file("notify").path)
            let recording = TestRecording(on: server)
            _ = try await AccrecProcess.with(
                recording.record(from: "silent", with: ["--interruption-timeout", "3"]), on: server,
                environment: service(socket)
            ) { accrec in
                try await socket.wait(for: "STATUS=waiting", accrec)
                return try await accrec.wait(within: 20)
            }
            #expect(!socket.lines.contains("READY=1") && !socket.lines.contains("WATCHDOG=1"), "\(socket.lines)")
        }
    }

    @Test("A socket that is unreachable, none or full costs a recording nothing, and is mentioned once at most")
    func hostileSockets() async throws {
        try await PrivateServer.withRoom(.pulseAudio) { server in
            let full = try NotifySocket(server.file("full").path)
            try full.fill()
            try server.write("", to: "a file")
            let names = [
                full.name, server.file("nothing").path, server.directory.path, server.file("a file").path, "notify",
                "/" + String(repeating: "x", count: 200), "@", "vsock:2:1234", "",
            ]
            for name in names {
                let result = try await server.record(
                    ["-o", "take.wav", "--force", "--max", "0.5", "-q"],
                    environment: ["NOTIFY_SOCKET": name, "WATCHDOG_USEC": "99999999999999999999"])
                #expect(try server.wav().frames == 24_000)
                let mentions = result.standardError.components(separatedBy: "NOTIFY_SOCKET").count - 1
                #expect(mentions == ([full.name, ""].contains(name) ? 0 : 1), "\(name): \(result.standardError)")
            }
        }
    }

    @Test("Programs of --exec do not get the service manager's socket")
    func programsDoNotInheritIt() async throws {
        try await PrivateServer.withRoom(.pulseAudio) { server in
            let socket = try NotifySocket(server.file("notify").path)
            try await server.record(
                ["-o", "take.wav", "--max", "0.5", "--exec", "sh -c 'env >\"$ACCREC_FILE.env\"'"],
                environment: service(socket).merging(["WATCHDOG_PID": "1"]) { $1 })
            let environment = try server.text("take.wav.env")
            #expect(environment.contains("ACCREC_FILE=take.wav"))
            #expect(!environment.contains("NOTIFY_SOCKET") && !environment.contains("WATCHDOG_"), "\(environment)")
            #expect(socket.lines.contains("READY=1"))
            // The watchdog is another process's.
            #expect(!socket.lines.contains("WATCHDOG=1"), "\(socket.lines)")
        }
    }
}
