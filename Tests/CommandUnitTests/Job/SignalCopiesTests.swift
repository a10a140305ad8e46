import Glibc
import Testing

@testable import AccrecCommands

/// Signals that come directly, by the supervisor, or both ways.
@Suite struct SignalCopiesTests {
    private static let second: UInt64 = 1_000_000_000

    /// The value as an object, because an expectation cannot call a method that changes a value.
    private final class Copies {
        private var value = JobSignals.Copies()

        func isNew(_ number: Int32, by way: JobSignals.Copies.Way, at time: UInt64) -> Bool {
            value.isNew(number, by: way, at: time)
        }

        func supervisorStops(at time: UInt64) { value.supervisorStops(at: time) }
        func supervisorContinues(at time: UInt64) { value.supervisorContinues(at: time) }
    }

    @Test("A signal to the process group counts once, in whatever order its copies come")
    func copies() {
        for ways in [[JobSignals.Copies.Way.direct, .supervisor], [.supervisor, .direct]] {
            let copies = Copies()
            for number in [SIGUSR1, SIGUSR2, SIGINT] {
                for time in 1...3 as ClosedRange<UInt64> {
                    #expect(copies.isNew(number, by: ways[0], at: time * 10 * Self.second))
                    #expect(!copies.isNew(number, by: ways[1], at: time * 10 * Self.second + Self.second / 2))
                }
            }
        }
    }

    @Test("A signal to one process counts, however many the other one has had before")
    func single() {
        for way in JobSignals.Copies.Way.allCases {
            let copies = Copies()
            let (before, after): (ClosedRange<UInt64>, ClosedRange<UInt64>) = (1...3, 10...12)
            for time in before { #expect(copies.isNew(SIGUSR1, by: way, at: time * Self.second)) }
            for time in after { #expect(copies.isNew(SIGUSR1, by: way.other, at: time * Self.second)) }
        }
    }

    @Test("The second copy of a request to end never ends the program at once")
    func lateCopies() {
        let copies = Copies()
        #expect(copies.isNew(SIGINT, by: .direct, at: 0))
        #expect(!copies.isNew(SIGINT, by: .supervisor, at: 60 * Self.second))
        #expect(copies.isNew(SIGINT, by: .direct, at: 61 * Self.second))
    }

    @Test("A supervisor that was stopped with its job gets its copies late")
    func stoppedSupervisor() {
        let copies = Copies()
        copies.supervisorStops(at: 0)
        #expect(copies.isNew(SIGUSR1, by: .direct, at: 5 * Self.second))
        copies.supervisorContinues(at: 60 * Self.second)
        #expect(!copies.isNew(SIGUSR1, by: .supervisor, at: 60 * Self.second + 1))
        #expect(copies.isNew(SIGUSR1, by: .supervisor, at: 90 * Self.second))
    }
}
