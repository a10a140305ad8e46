import ACCAudioRecorder
import FoundationEssentials

/// A line of `accrec devices --apps --watch --json`. The manual page documents the keys.
struct ApplicationListRecord: Encodable {
    let event: String
    /// In UTC (ISO 8601).
    let time = Date.now.textInJSON
    var applications: [AudioApplication]?
    var application: AudioApplication?

    /// The initial list of applications.
    init(_ list: ApplicationList) {
        event = "applications"
        applications = list.applications
    }

    /// A change: the application with only the stream that has changed.
    init(_ change: ApplicationChanges.Change) {
        event = change.kind.rawValue
        application = AudioApplication(
            name: change.application.name, binary: change.application.binary,
            processID: change.application.processID, streams: [change.stream])
    }
}
