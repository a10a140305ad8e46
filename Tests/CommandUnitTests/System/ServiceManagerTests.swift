import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import AccrecCommands

/// The service manager's socket, and what its environment says.
struct ServiceManagerTests {
    @Test("Messages reach a socket with a file and one without, each in one datagram")
    func messages() async throws {
        try await TemporaryDirectory.with { directory in
            for name in [directory.appending(path: "notify").path, "@accrec-test-\(UUID().uuidString)"] {
                let socket = try NotifySocket(name)
                try ServiceManager(name).send(["READY=1", "STATUS=recording 'ä.wav'"])
                #expect(socket.lines == ["READY=1", "STATUS=recording 'ä.wav'"])
            }
        }
    }

    @Test("A full socket is no wait, and what is no socket is an error")
    func failures() async throws {
        try await TemporaryDirectory.with { directory in
            let socket = try NotifySocket(directory.appending(path: "notify").path)
            try socket.fill()
            #expect(throws: Errno.resourceTemporarilyUnavailable) { try ServiceManager(socket.name).send(["READY=1"]) }
            #expect(throws: Errno.noSuchFileOrDirectory) {
                try ServiceManager(directory.path + "/none").send(["READY=1"])
            }
            #expect(throws: Errno.addressFamilyNotSupported) { try ServiceManager("vsock:2:1") }
            #expect(throws: Errno.fileNameTooLong) { try ServiceManager("/" + String(repeating: "x", count: 107)) }
            #expect(throws: Never.self) { try ServiceManager("/" + String(repeating: "x", count: 106)) }
        }
    }

    @Test(
        "The watchdog is told twice as often as it asks, of this process alone, and never so often that it costs",
        arguments: [
            ("10000000", nil, Duration.seconds(5)), ("10000000", "\(getpid())", .seconds(5)), ("10000000", "1", nil),
            ("1", nil, .milliseconds(100)), ("9223372036854775807", nil, .seconds(86_400)),
            ("99999999999999999999", nil, nil), ("-1", nil, nil), ("0", nil, nil), ("x", nil, nil), (nil, nil, nil),
        ])
    func watchdog(interval: String?, process: String?, expected: Duration?) throws {
        let manager = try ServiceManager("/x", watchdogInterval: interval, watchdogProcess: process)
        #expect(manager.watchdogInterval == expected)
    }
}
