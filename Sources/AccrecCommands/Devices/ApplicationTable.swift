import ACCAudioRecorder
import FoundationEssentials

/// The list of applications as `accrec devices --apps` prints it: a line for each application, and two for each stream.
struct ApplicationTable {
    let list: ApplicationList

    var lines: [String] {
        list.applications.flatMap { application in
            [Self.name(of: application)] + application.streams.flatMap { lines(for: $0) }
        }
    }

    /// The name, with the executable file and the process.
    static func name(of application: AudioApplication) -> String {
        let details = [
            application.binary == application.name ? nil : application.binary,
            application.processID.map { "process \($0)" },
        ].compactMap(\.self)
        return details.isEmpty ? application.name : "\(application.name) (\(details.joined(separator: ", ")))"
    }

    /// What a stream does, its sink and its format.
    static func text(of stream: AudioApplication.Stream) -> String {
        var parts = [stream.isPaused ? "paused" : "playing" + (stream.sinkName.map { " to \($0)" } ?? "")]
        if let spec = stream.sampleSpec { parts.append("\(spec)") }
        if stream.isMuted { parts.append("muted") }
        if let volume = stream.volume, !volume.isUnity { parts.append("volume \(volume)") }
        return parts.joined(separator: ", ")
    }

    private func lines(for stream: AudioApplication.Stream) -> [String] {
        let isChosen = (try? list.choice.get().contains(stream.id)) ?? false
        return [
            "\(isChosen ? ">" : " ") \(stream.title.isEmpty ? "(no title)" : stream.title)",
            "    \(Self.text(of: stream))",
        ]
    }
}

extension ApplicationList {
    /// A stream that was added, removed or changed, as `accrec devices --apps --watch` prints it.
    struct Change {
        enum Kind: String { case added, removed, changed }

        let kind: Kind
        let application: AudioApplication
        let stream: AudioApplication.Stream

        var text: String {
            let title = stream.title.isEmpty ? "" : " '\(stream.title)'"
            let name = "\(kind.rawValue) \(ApplicationTable.name(of: application))\(title)"
            return kind == .removed ? name : "\(name): \(ApplicationTable.text(of: stream))"
        }
    }

    /// The differences from an earlier list.
    func changes(since earlier: ApplicationList) -> [Change] {
        let (now, before) = (allStreams, earlier.allStreams)
        return before.filter { entry in !now.contains { $0.stream.id == entry.stream.id } }
            .map { Change(kind: .removed, application: $0.application, stream: $0.stream) }
            + now.compactMap { entry in
                guard let earlier = before.first(where: { $0.stream.id == entry.stream.id }) else {
                    return Change(kind: .added, application: entry.application, stream: entry.stream)
                }
                guard earlier.stream != entry.stream else { return nil }
                return Change(kind: .changed, application: entry.application, stream: entry.stream)
            }
    }

    private var allStreams: [(application: AudioApplication, stream: AudioApplication.Stream)] {
        applications.flatMap { application in application.streams.map { (application, $0) } }
    }
}

extension ApplicationTable {
    /// A line of `accrec devices --apps --watch --json`. The manual page documents the keys.
    struct WatchRecord: Encodable {
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
        init(_ change: ApplicationList.Change) {
            event = change.kind.rawValue
            application = AudioApplication(
                name: change.application.name, binary: change.application.binary,
                processID: change.application.processID, streams: [change.stream])
        }
    }
}
