import Testing

@testable import ACCAudioRecorder

@Suite struct SourceSelectionTests {
    private func choose(_ requested: String?, from sources: [AudioSource]) throws -> String {
        try SourceSelection(sources: sources, defaultSinkName: "speakers").source(requested: requested).name
    }

    @Test func takesTheNamedSource() throws {
        let sources: [AudioSource] = [.made("mic", isDefault: true), .made("speakers.monitor", isMonitor: true)]
        #expect(try choose("speakers.monitor", from: sources) == "speakers.monitor")
        #expect(try choose("@DEFAULT_SOURCE@", from: sources) == "mic")
        #expect(try choose("@DEFAULT_MONITOR@", from: sources) == "speakers.monitor")
        #expect(try choose(nil, from: sources) == "mic")
    }

    @Test("D-05: a monitor is taken only when it is named")
    func refusesAMonitorAsTheDefault() throws {
        let sources: [AudioSource] = [.made("speakers.monitor", isDefault: true, isMonitor: true), .made("mic")]
        let error = #expect(throws: ACCAudioRecorderError.self) { try choose(nil, from: sources) }
        #expect(error?.failure?.reason == .noMicrophone)
        #expect(error?.failure?.remedy == "Name one of: speakers.monitor (monitor), mic.")
    }

    @Test func listsTheSourcesWhereTheNameIsUnknown() throws {
        let sources: [AudioSource] = [.made("mic", isDefault: true)]
        let error = #expect(throws: ACCAudioRecorderError.self) { try choose("nosuch", from: sources) }
        #expect(error?.failure?.reason == .noSuchSource)
        #expect(error?.failure?.remedy == "Name one of: mic.")
    }

    @Test func saysThatThereIsNone() {
        let error = #expect(throws: ACCAudioRecorderError.self) { try choose(nil, from: []) }
        #expect(error?.failure?.reason == .noMicrophone)
    }
}
