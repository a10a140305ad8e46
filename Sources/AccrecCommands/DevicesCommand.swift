import ACCAudioRecorder
import ArgumentParser
import Glibc

/// `accrec devices`: what there is to record from.
struct DevicesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "List the sources there are to record from.",
        discussion: """
            Each source is shown with its name, which 'accrec record --device' takes, its description, and its own \
            format. '>' marks the source that 'accrec record' takes where none is named, and the last line says why; \
            '*' marks the server's default. A monitor delivers what a sink plays.
            """)

    @Flag(help: "Print JSON: one array, or with --watch one object a line.")
    var json = false

    @Flag(help: "Keep running, and print each change, until Ctrl-C.")
    var watch = false

    @OptionGroup var server: ServerOptions

    func run() async throws {
        guard !watch else { return try await follow() }
        let list = try await ACCAudioRecorder.sourceList(for: configuration)
        if json {
            put(try JSONText.line(list.sources.map { SourceRecord($0, in: list) }))
        } else {
            put(DeviceTable(list: list).text)
        }
        if list.sources.isEmpty { StandardError.write("accrec: the server has no sources. Plug in a microphone.\n") }
    }

    /// Prints until a signal comes, which is what ends this as asked, or until the server goes.
    private func follow() async throws {
        let signals = Signals.ofTermination()
        let following = Task { [configuration] in
            var last: SourceList?
            for try await list in ACCAudioRecorder.sourceListUpdates(for: configuration) {
                if let last {
                    for change in list.changes(since: last) { put(try text(of: change, in: list)) }
                } else {
                    put(try text(ofFirst: list))
                }
                last = list
            }
        }
        let ending = Task {
            for await _ in signals.arrivals { following.cancel() }
        }
        defer { ending.cancel() }
        try await following.value
    }

    /// What `accrec record` has where nothing but the server is named.
    private var configuration: ACCAudioRecorder.Configuration { .init(serverName: server.name) }

    private func text(ofFirst list: SourceList) throws -> String {
        json ? try JSONText.line(SourceListRecord(list)) : DeviceTable(list: list).text
    }

    private func text(of change: SourceListChange, in list: SourceList) throws -> String {
        json
            ? try JSONText.line(SourceListRecord(change, in: list))
            : "\(TimeText.now()) \(SourceListChangeText(change: change).text)\n"
    }

    /// At once, for whoever reads a pipe.
    private func put(_ text: String) {
        print(text, terminator: "")
        fflush(nil)
    }
}
