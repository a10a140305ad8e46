import Glibc
import Testing

@testable import AccrecCommands

@Suite struct EndingSignalsTests {
    private static let millisecond: UInt64 = 1_000_000

    @Test(
        "Only a second Ctrl-C, some time after the first, ends at once",
        arguments: [
            // A closed terminal, timeout(1), and systemd.
            ([(SIGHUP, 0), (SIGHUP, 40), (SIGHUP, 400)], [.finish, nil, nil]),
            ([(SIGTERM, 0), (SIGTERM, 1)], [.finish, nil]),
            ([(SIGTERM, 0), (SIGHUP, 500)], [.finish, nil]),
            // A key press, and what `timeout --signal=INT` sends twice.
            ([(SIGINT, 0), (SIGINT, 100)], [.finish, .quit]),
            ([(SIGINT, 0), (SIGINT, 2)], [.finish, nil]),
            ([(SIGINT, 0), (SIGINT, 2), (SIGINT, 300)], [.finish, nil, .quit]),
            ([(SIGINT, 0), (SIGTERM, 900), (SIGHUP, 950)], [.finish, nil, nil]),
            ([(SIGTERM, 0), (SIGINT, 900), (SIGINT, 1_200)], [.finish, nil, .quit]),
            // Threads may handle signals in a different order than they arrived in.
            ([(SIGINT, 10), (SIGINT, 5)], [.finish, nil]),
        ] as [([(Int32, UInt64)], [JobSignals.Endings.Request?])])
    func requests(signals: [(Int32, UInt64)], expected: [JobSignals.Endings.Request?]) {
        var ending = JobSignals.Endings()
        #expect(signals.map { ending.receive($0.0, at: 1_000 + $0.1 * Self.millisecond) } == expected)
    }
}
