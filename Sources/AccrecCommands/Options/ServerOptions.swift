import ArgumentParser

/// Which sound server is asked.
struct ServerOptions: ParsableArguments {
    @Option(
        name: .customLong("server"),
        help: ArgumentHelp(
            "The sound server: unix:/path, tcp:host:4713, or a host; goes before PULSE_SERVER.", valueName: "server"),
        transform: { text in
            guard text.contains(where: { !$0.isWhitespace }) else {
                throw ValidationError("give its address: unix:/path, tcp:host:4713, or a host")
            }
            return text
        })
    var name: String?
}
