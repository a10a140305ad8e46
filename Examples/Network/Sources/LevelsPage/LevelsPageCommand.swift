// Shows the levels of a source on a web page, until Ctrl-C.

import ACCAudioRecorder
import ArgumentParser
import Hummingbird

@main
struct LevelsPageCommand: AsyncParsableCommand {
    @Option(help: "The source; the server's default unless given.") var source: String?
    @Option(help: "The address to serve at.") var host = "127.0.0.1"
    @Option(help: "The port to serve at.") var port = 8_080

    func run() async throws {
        // All channels as the source has them, and twenty levels a second at 48 kHz.
        let recorder = ACCAudioRecorder(
            configuration: .init(bufferSize: 2_400, audioSessionMode: .measurement, input: .source(source)))
        let page = LevelsPage(recorder: recorder)
        let application = Application(
            router: page.router(), configuration: .init(address: .hostname(host, port: port)),
            services: [Recording(recorder: recorder) { print($0) }])
        print("http://\(host):\(port)/")
        try await application.runService()
    }
}
