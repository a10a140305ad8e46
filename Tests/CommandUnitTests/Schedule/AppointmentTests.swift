import Testing

@testable import AccrecCommands

/// The wait for the time of a take, by clocks that a test sets.
@Suite struct AppointmentTests {
    @Test("A wait ends exactly at its time or so many seconds before, and tells each whole second that remains")
    func ticks() async {
        for lead in [0, 2.5] {
            let clocks = SimulatedClocks(1_000_000)
            var ticks: [Double] = []
            await Appointment.after(5.25, since: 0).wait(lead: lead, by: clocks.clock) { ticks.append($0) }
            #expect(clocks.now.bootTime == 5.25 - lead)
            #expect(ticks == [5.25, 5, 4, 3, 2, 1].filter { $0 > lead })
        }
    }

    @Test("A time that has passed is not waited for")
    func past() async {
        let clocks = SimulatedClocks(1_000_000)
        for appointment in [Appointment.at(1_000_000), .at(999_000), .after(0, since: 0)] {
            await appointment.wait(by: clocks.clock) { Issue.record("\($0)") }
        }
        #expect(clocks.now.bootTime == 0)
    }

    @Test("A clock that is set counts within a second")
    func clockThatIsSet() async {
        let clocks = SimulatedClocks(1_000_000, [(10, .set(by: 3_600))])
        await Appointment.at(1_001_000.5).wait(by: clocks.clock)
        #expect(clocks.now.bootTime <= 11)
    }
}
