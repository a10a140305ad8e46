import Testing

@testable import ACCAudioRecorder

/// Every event in every phase.
@Suite struct RecordingStateMachineTests {
    typealias Machine = RecordingStateMachine
    typealias Phase = Machine.Phase

    static let broken = ACCAudioRecorderError.captureFailed(
        .init(.noServer, "recording ended early", cause: "gone", remedy: "Start it."))
    static let start = Machine.Instant.zero
    static let later = start + .seconds(1)
    static let lost = Machine.Interruption(cause: .deviceLost, since: start)

    static let idle = Phase.idle
    static let starting = Phase.opening(.start)
    static let resuming = Phase.opening(.resume)
    static let recovering = Phase.opening(.recovery(lost))
    static let recording = Phase.recording(quietSince: nil)
    static let suspended = Phase.suspended(since: start)
    static let absent = Phase.suspended(.applicationAbsent, since: start)
    static let applicationPaused = Phase.suspended(.applicationPaused, since: start)
    static let paused = Phase.paused
    static let interrupted = Phase.interrupted(lost)
    static let phases = [idle, starting, resuming, recovering, recording, suspended, paused, interrupted]

    /// The events, with the phases in which they do something; in the others they do nothing.
    static let table: [(Machine.Event, [Phase: (Machine.Action, Phase)])] = [
        (
            .start,
            Dictionary(
                uniqueKeysWithValues: phases.map { phase in
                    (phase, phase == idle ? (.open(.start), starting) : (.refuse(.recordingAlreadyInProgress), phase))
                })
        ),
        (.resume, [idle: (.refuse(.noActiveRecording), idle), paused: (.open(.resume), resuming)]),
        (
            .pause,
            [
                recording: (.closeSource(nil), paused), suspended: (.closeSource(nil), paused),
                interrupted: (.closeSource(nil), paused),
            ]
        ),
        (
            .interrupted(.call, at: later),
            [
                recording: interruption(.call, quietSince: nil), suspended: interruption(.call, quietSince: start),
            ]
        ),
        (
            .interrupted(.stalled, at: later),
            [
                recording: interruption(.stalled, quietSince: later),
                suspended: interruption(.stalled, quietSince: start),
            ]
        ),
        (.recovered, [interrupted: (.open(.recovery(lost)), recovering)]),
        (.suspended(at: start), [recording: (.report(.suspended), suspended)]),
        (
            .suspended(.applicationAbsent, at: start),
            [recording: (.report(.applicationAbsent), absent), suspended: (.report(.applicationAbsent), absent)]
        ),
        // The wait counts from the first cause.
        (
            .suspended(.applicationPaused, at: later),
            [
                recording: (.report(.applicationPaused), .suspended(.applicationPaused, since: later)),
                suspended: (.report(.applicationPaused), applicationPaused),
            ]
        ),
        (.flowing, [suspended: (.report(nil), recording)]),
        (.finish, everywhere(.end(.finished, removesFiles: false))),
        (.discard, everywhere(.end(.discarded, removesFiles: true))),
        (.discardCurrentFiles, everywhere(.end(.discarded, removesFiles: false))),
        (.limitReported, everywhere(.end(.limit, removesFiles: false))),
        (.brokeOff(broken), everywhere(.end(.failed(broken), removesFiles: false))),
        (
            .waitEnded(broken, since: start, removesFiles: true),
            [
                suspended: (.end(.failed(broken), removesFiles: true), idle),
                interrupted: (.end(.failed(broken), removesFiles: true), idle),
            ]
        ),
        (.waitEnded(broken, since: later, removesFiles: true), [:]),
    ]

    static func everywhere(_ action: Machine.Action) -> [Phase: (Machine.Action, Phase)] {
        Dictionary(uniqueKeysWithValues: phases.filter { $0 != idle }.map { ($0, (action, idle)) })
    }

    static func interruption(
        _ cause: RecordingInterruption, quietSince: Machine.Instant?
    ) -> (Machine.Action, Phase) {
        let interruption = Machine.Interruption(cause: cause, since: later, quietSince: quietSince)
        return (.closeSource(interruption), .interrupted(interruption))
    }

    /// A machine that was brought into a phase.
    static func machine(in phase: Phase) -> Machine {
        var machine = Machine()
        guard phase != idle else { return machine }
        _ = machine.handle(.start)
        guard phase != starting else { return machine }
        machine.opened(true)
        switch phase {
        case paused, resuming: _ = machine.handle(.pause)
        case suspended: _ = machine.handle(.suspended(at: start))
        case interrupted, recovering: _ = machine.handle(.interrupted(.deviceLost, at: start))
        default: break
        }
        if phase == resuming { _ = machine.handle(.resume) }
        if phase == recovering { _ = machine.handle(.recovered) }
        return machine
    }

    @Test("R-09, R-10, R-11, I-11", arguments: table.indices, phases)
    func decides(row: Int, phase: Phase) {
        let (event, outcomes) = Self.table[row]
        var machine = Self.machine(in: phase)
        #expect(machine.phase == phase)
        let (action, next) = outcomes[phase] ?? (.nothing, phase)
        #expect(machine.handle(event) == action)
        #expect(machine.phase == next)
    }

    @Test(
        "A source that cannot be opened leaves the recording unchanged",
        arguments: [
            (starting, recording, idle), (resuming, recording, paused), (recovering, recording, interrupted),
            (paused, paused, paused), (idle, idle, idle),
        ])
    func opened(phase: Phase, success: Phase, failure: Phase) {
        for (isOpen, next) in [(true, success), (false, failure)] {
            var machine = Self.machine(in: phase)
            machine.opened(isOpen)
            #expect(machine.phase == next)
        }
    }

    @Test("The time that a source has been silent accumulates over reopening, until it delivers")
    func quietnessLasts() {
        var machine = Self.machine(in: Self.recording)
        _ = machine.handle(.interrupted(.stalled, at: Self.start))
        _ = machine.handle(.recovered)
        machine.opened(true)
        #expect(machine.phase == .recording(quietSince: Self.start))
        _ = machine.handle(.interrupted(.stalled, at: Self.later))
        let again = Machine.Interruption(cause: .stalled, since: Self.later, quietSince: Self.start)
        #expect(machine.phase == .interrupted(again))
        _ = machine.handle(.recovered)
        machine.opened(true)
        _ = machine.handle(.flowing)
        #expect(machine.phase == Self.recording)
    }

    @Test("The limit is reported once in a recording")
    func limitIsReportedOnce() {
        for phase in Self.phases where phase != Self.idle {
            var machine = Self.machine(in: phase)
            #expect(machine.handle(.limitReached) == .reportLimit)
            #expect(machine.handle(.limitReached) == .nothing)
            #expect(machine.phase == phase)
            _ = machine.handle(.limitReported)
            #expect(machine.handle(.limitReached) == .nothing)
            _ = machine.handle(.start)
            #expect(machine.handle(.limitReached) == .reportLimit)
        }
    }
}
