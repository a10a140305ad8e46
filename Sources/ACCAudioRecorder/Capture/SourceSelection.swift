import Glibc

/// Chooses the source of a recording: pure, so that every rule can be tested without a server.
struct SourceSelection {
    let sources: [AudioSource]
    let defaultSinkName: String?

    /// The source that a recording takes.
    ///
    /// - Parameter requested: A source's name, `@DEFAULT_SOURCE@` or `@DEFAULT_MONITOR@`; nil for the
    ///   server's default, which must not be a monitor: the desktop's own sound is recorded only when it
    ///   is asked for by name.
    /// - Throws: `audioEngineStartFailed`, listing the sources there are.
    func source(requested: String?) throws(ACCAudioRecorderError) -> AudioSource {
        guard let requested else { return try defaultSource() }
        let match = sources.first { source in
            switch requested {
            case "@DEFAULT_SOURCE@": source.isDefault
            case "@DEFAULT_MONITOR@": source.isMonitor && source.name == defaultSinkName.map { $0 + ".monitor" }
            default: source.name == requested
            }
        }
        guard let match else {
            throw failure(.noSuchSource, "cannot record from '\(requested)'", cause: "no such source")
        }
        return match
    }

    /// The source of exactly that name.
    func source(named name: String) throws(ACCAudioRecorderError) -> AudioSource {
        guard let source = sources.first(where: { $0.name == name }) else {
            throw failure(.noSuchSource, "cannot record from '\(name)'", cause: "no such source")
        }
        return source
    }

    private func defaultSource() throws(ACCAudioRecorderError) -> AudioSource {
        let what = "cannot choose a source"
        guard let source = sources.first(where: \.isDefault) else {
            throw failure(.noMicrophone, what, cause: "the server has no default source")
        }
        guard !source.isMonitor else {
            throw failure(
                .noMicrophone, what,
                cause: "the default, '\(source.name)', is a monitor, which is what the desktop plays and no microphone")
        }
        return source
    }

    private func failure(
        _ reason: ACCAudioRecorderError.Failure.Reason, _ what: String, cause: String
    ) -> ACCAudioRecorderError {
        .audioEngineStartFailed(.init(reason, what, cause: cause, remedy: remedy))
    }

    private var remedy: String {
        if sources.isEmpty { return "The server has no source at all: plug in a microphone." }
        let names = sources.map { $0.isMonitor ? "\($0.name) (monitor)" : $0.name }
        return "Name one of: \(names.joined(separator: ", "))."
    }
}

extension SourceSelection {
    /// Asks the server what there is to choose from.
    init(control: PulseControl) async throws(PulseFailure) {
        let server = try await control.serverInfo()
        sources = try await control.sources(of: server)
        defaultSinkName = server.defaultSinkName
    }

    /// The source that the environment names, as libpulse's own clients honour it.
    static var requestedByEnvironment: String? {
        guard let value = getenv("PULSE_SOURCE"), value.pointee != 0 else { return nil }
        return String(cString: value)
    }
}
