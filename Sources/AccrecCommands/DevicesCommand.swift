import ACCAudioRecorder
import ArgumentParser

/// `accrec devices`: what there is to record from.
struct DevicesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "List the sources there are to record from.",
        discussion: """
            Each source is shown with its name, which 'accrec record --device' takes, its description, and its own \
            format. '*' marks the server's default. A monitor delivers what a sink plays, and is recorded only when \
            it is named.
            """)

    func run() async throws {
        let sources = try await ACCAudioRecorder.availableSources()
        print(DeviceTable(sources: sources).text, terminator: "")
        if sources.isEmpty { StandardError.write("accrec: the server has no sources. Plug in a microphone.\n") }
    }
}
